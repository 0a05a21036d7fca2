import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageCache } from './page-cache.ts'

/** A cache over a database whose version the test sets. */
const createVersionedCache = () => {
  const state = { version: 1 as unknown }
  return { state, cache: createPageCache({ version: () => state.version }) }
}

/** Loads numbered pages of this size. */
const createLoader = (size: number | 'unknown' = 10) => {
  let loads = 0
  return async () => ({ page: ++loads, size: size === 'unknown' ? undefined : size })
}

test('a page is loaded once for each version of the database, and for each key', async () => {
  const { state, cache } = createVersionedCache()
  const [loadOne, loadOther] = [createLoader(), createLoader()]
  assert.deepEqual([await cache.find('one', loadOne), await cache.find('one', loadOne)], [1, 1])
  assert.equal(await cache.find('other', loadOther), 1)
  state.version = 2
  assert.deepEqual([await cache.find('one', loadOne), await cache.find('other', loadOther)], [2, 2])
  assert.deepEqual([await cache.find('one', loadOne), await cache.find('other', loadOther)], [2, 2])
})

test('a cached page is returned synchronously', async () => {
  const { cache } = createVersionedCache()
  await cache.find('one', createLoader())
  assert.equal(cache.find('one', createLoader()), 1)
})

test('a page that was read during a commit is loaded again', async () => {
  const { state, cache } = createVersionedCache()
  const load = createLoader()
  const committing = async () => {
    state.version = 2
    return load()
  }
  assert.equal(await cache.find('one', committing), 1)
  assert.equal(await cache.find('one', load), 2)
})

test('without a known version, nothing is cached', async () => {
  const unknown = createPageCache({ version: () => Symbol('unknown') })
  for (const cache of [unknown, createPageCache({})]) {
    const load = createLoader()
    assert.deepEqual([await cache.find('one', load), await cache.find('one', load)], [1, 2])
  }
})

test('large pages, uncacheable pages and failed loads are not cached', async () => {
  const { cache } = createVersionedCache()
  for (const [key, size] of [
    ['large', 70_000],
    ['stream', 'unknown'],
  ] as const) {
    const load = createLoader(size)
    assert.deepEqual([await cache.find(key, load), await cache.find(key, load)], [1, 2])
  }
  await assert.rejects(async () => cache.find('failing', () => Promise.reject(new Error('failed'))), /failed/)
  assert.equal(await cache.find('failing', createLoader()), 1)
})

test('the cache is bounded: it evicts pages that are not requested again', async () => {
  const { cache } = createVersionedCache()
  const loads = Array.from({ length: 300 }, () => createLoader(60_000))
  for (const [index, load] of loads.entries()) {
    await cache.find(`page ${index}`, load)
    assert.equal(await cache.find('page 0', loads[0]!), 1, 'a page in use stays')
  }
  assert.equal(await cache.find('page 1', loads[1]!), 2)
  assert.equal(await cache.find('page 299', loads[299]!), 1)
})
