import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceTime } from '../../base/time-slices.ts'
import { createPortionSize } from './portion-size.ts'

/** Lists the portion sizes of a list whose statements take `fixed` plus `perRow` milliseconds. */
function listPortionSizes(cost: { fixed?: number; perRow: number; length?: number }, portions = 12): number[] {
  const size = createPortionSize()
  const sizes = [size.first()]
  while (sizes.length < portions) {
    const rows = sizes.at(-1)!
    const time = (cost.fixed ?? 0.02) + cost.perRow * rows
    sizes.push(size.next({ rows, length: rows * (cost.length ?? 100), time }))
  }
  return sizes
}

test('portions of fast rows grow to the maximum size', () => {
  assert.deepEqual(listPortionSizes({ perRow: 0.001 }, 6), [8, 32, 128, 500, 500, 500])
})

test('portions of slow rows take one time slice', () => {
  for (const perRow of [0.02, 0.1, 0.5, 1]) {
    const rows = listPortionSizes({ perRow }).at(-1)!
    assert.ok(rows * perRow <= sliceTime && rows * perRow > sliceTime / 2, `${rows} rows of ${perRow} ms`)
  }
})

test('rows that take longer than a time slice are read one or two at once', () => {
  assert.ok(listPortionSizes({ perRow: 10, fixed: 0 }).at(-1)! <= 2)
})

test('portions do not shrink if the time of the statement is fixed', () => {
  assert.equal(listPortionSizes({ perRow: 0.001, fixed: 30 }).at(-1), 500)
})

test('portions of long rows have a bounded length', () => {
  assert.equal(listPortionSizes({ perRow: 0.001, length: 64 * 1024 }).at(-1), 4)
  assert.equal(listPortionSizes({ perRow: 0.001, length: 1024 * 1024 }).at(-1), 1)
})

test('a list begins with the portion size that its previous read allowed', () => {
  const size = createPortionSize()
  size.next({ rows: 8, length: 8 * 1024 * 1024, time: 1 })
  assert.equal(size.first(), 1)
  size.next({ rows: 1, length: 10, time: 0.02 })
  assert.equal(size.first(), 8)
})
