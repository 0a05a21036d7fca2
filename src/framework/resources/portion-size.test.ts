import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceTime } from '../time-slices.ts'
import { createPortionSize } from './portion-size.ts'

/** The sizes of the portions of one list whose statements take `fixed` and `perRow` milliseconds. */
function portionsOf(cost: { fixed?: number; perRow: number; length?: number }, portions = 12): number[] {
  const size = createPortionSize()
  const sizes = [size.first()]
  while (sizes.length < portions) {
    const rows = sizes.at(-1)!
    const time = (cost.fixed ?? 0.02) + cost.perRow * rows
    sizes.push(size.next({ rows, length: rows * (cost.length ?? 100), time }))
  }
  return sizes
}

test('portions of quick rows grow step by step to the most rows', () => {
  assert.deepEqual(portionsOf({ perRow: 0.001 }, 6), [8, 32, 128, 500, 500, 500])
})

test('portions of slow rows take a slice of time', () => {
  for (const perRow of [0.02, 0.1, 0.5, 1]) {
    const rows = portionsOf({ perRow }).at(-1)!
    assert.ok(rows * perRow <= sliceTime && rows * perRow > sliceTime / 2, `${rows} rows of ${perRow} ms`)
  }
})

test('a row that takes longer than a slice is a portion of its own', () => {
  assert.ok(portionsOf({ perRow: 10, fixed: 0 }).at(-1)! <= 2)
})

test('where the statement itself is slow, portions do not shrink, which would only make the list slower', () => {
  assert.equal(portionsOf({ perRow: 0.001, fixed: 30 }).at(-1), 500)
})

test('portions of long rows are bounded in memory', () => {
  assert.equal(portionsOf({ perRow: 0.001, length: 64 * 1024 }).at(-1), 4)
  assert.equal(portionsOf({ perRow: 0.001, length: 1024 * 1024 }).at(-1), 1)
})

test('a list that was slow or long begins with what was affordable before', () => {
  const size = createPortionSize()
  size.next({ rows: 8, length: 8 * 1024 * 1024, time: 1 })
  assert.equal(size.first(), 1)
  size.next({ rows: 1, length: 10, time: 0.02 })
  assert.equal(size.first(), 8)
})
