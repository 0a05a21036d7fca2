import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationDifference } from '#core'
import { createReadiness } from './readiness.ts'

const none: MigrationDifference = { missing: [], unknown: [] }

test('concurrent checks share one query, and later checks query again', async () => {
  let queries = 0
  const readiness = createReadiness(async () => {
    queries += 1
    return none
  })
  assert.deepEqual(await Promise.all([readiness(), readiness(), readiness()]), [undefined, undefined, undefined])
  assert.equal(queries, 1)
  assert.equal(await readiness(), undefined)
  assert.equal(queries, 2)
})

test('a database that does not respond in time is unavailable, and the hanging query is not repeated', async () => {
  const { promise, resolve } = Promise.withResolvers<MigrationDifference>()
  let queries = 0
  const compareMigrations = () => {
    queries += 1
    return promise
  }
  const readiness = createReadiness(compareMigrations, { timeout: 20 })
  for (let times = 0; times < 2; times++) assert.equal((await readiness())?.failed, 'database')
  assert.equal(queries, 1)
  resolve(none)
  assert.equal(await readiness(), undefined)
})

test('the result names the failed check', async () => {
  const findFailed = async (compare: () => Promise<MigrationDifference>) => (await createReadiness(compare)())?.failed
  assert.equal(
    await findFailed(async () => ({ ...none, missing: [{ owner: 'accounts', steps: ['0009_new'] }] })),
    'migrations',
  )
  assert.equal(
    await findFailed(async () => ({ ...none, unknown: [{ owner: 'accounts', steps: ['0009_new'] }] })),
    'migrations',
  )
  assert.equal(await findFailed(() => Promise.reject(new Error('password of postgres://secret'))), 'database')
})
