import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageCache } from './page-cache.ts'

/** A database whose version is set by the test. */
const versioned = () => {
  const state = { version: 1 as unknown }
  return { state, cache: createPageCache({ version: () => state.version }) }
}

/** Loads pages that are numbered, and of a size. */
const loader = (size: number | 'unknown' = 10) => {
  let loads = 0
  return async () => ({ page: ++loads, size: size === 'unknown' ? undefined : size })
}

test('a page is loaded once for each version of the database, and for each key', async () => {
  const { state, cache } = versioned()
  const [one, other] = [loader(), loader()]
  assert.deepEqual([await cache.find('one', one), await cache.find('one', one)], [1, 1])
  assert.equal(await cache.find('other', other), 1)
  state.version = 2
  assert.deepEqual([await cache.find('one', one), await cache.find('other', other)], [2, 2])
  assert.deepEqual([await cache.find('one', one), await cache.find('other', other)], [2, 2])
})

test('a kept page is here at once, without a promise', async () => {
  const { cache } = versioned()
  await cache.find('one', loader())
  assert.equal(cache.find('one', loader()), 1)
})

test('what was read while something was committed is not kept for the version before or after', async () => {
  const { state, cache } = versioned()
  const load = loader()
  const committing = async () => {
    state.version = 2
    return load()
  }
  assert.equal(await cache.find('one', committing), 1)
  assert.equal(await cache.find('one', load), 2)
})

test('where no version is known, nothing is kept', async () => {
  const unknown = createPageCache({ version: () => Symbol('unknown') })
  for (const cache of [unknown, createPageCache({})]) {
    const load = loader()
    assert.deepEqual([await cache.find('one', load), await cache.find('one', load)], [1, 2])
  }
})

test('a page that is large, not to be kept, or failed is loaded again', async () => {
  const { cache } = versioned()
  for (const [key, size] of [
    ['large', 70_000],
    ['stream', 'unknown'],
  ] as const) {
    const load = loader(size)
    assert.deepEqual([await cache.find(key, load), await cache.find(key, load)], [1, 2])
  }
  await assert.rejects(async () => cache.find('failing', () => Promise.reject(new Error('failed'))), /failed/)
  assert.equal(await cache.find('failing', loader()), 1)
})

test('memory is bounded: pages that were not requested again make room', async () => {
  const { cache } = versioned()
  const loads = Array.from({ length: 300 }, () => loader(60_000))
  for (const [index, load] of loads.entries()) {
    await cache.find(`page ${index}`, load)
    assert.equal(await cache.find('page 0', loads[0]!), 1, 'a page in use stays')
  }
  assert.equal(await cache.find('page 1', loads[1]!), 2)
  assert.equal(await cache.find('page 299', loads[299]!), 1)
})
