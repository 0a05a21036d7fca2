import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFile } from '../../../../test/support/service.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { openSqlite } from '../../database/sqlite/sqlite.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import { databaseStore, throttleMigrations } from './database-store.ts'
import { fallbackStore } from './fallback-store.ts'
import type { RateStore } from './rate-store.ts'

const rate = { key: 'ann', limit: 2, period: 60_000 }

/** A store that throws the error that `error` returns, if any. */
function failing(store: RateStore, error: () => Error | undefined): RateStore {
  const check = () => {
    const failure = error()
    if (failure !== undefined) throw failure
  }
  return {
    async take(rates) {
      check()
      const taken = await store.take(rates)
      return taken.allowed ? { ...taken, giveBack: async () => check() } : taken
    },
  }
}

test('while the disk is full, the rate is enforced in memory, and afterwards in the database again', async context => {
  const { url, remove } = await createFile()
  const database = openSqlite({ path: url.slice('sqlite:'.length) })
  context.after(async () => {
    await database.close()
    await remove()
  })
  await migrate(database, [throttleMigrations])
  let error: Error | undefined
  const store = fallbackStore(failing(databaseStore(database), () => error))
  const isAllowed = async () => (await store.take([rate])).allowed

  assert.equal(await isAllowed(), true)
  const taken = await store.take([{ ...rate, key: 'bob' }])
  error = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  assert.ok(taken.allowed)
  await taken.giveBack()
  assert.deepEqual([await isAllowed(), await isAllowed(), await isAllowed()], [true, true, false])
  error = undefined
  assert.deepEqual([await isAllowed(), await isAllowed()], [true, false])
})

test('other failures of the store are not hidden', async () => {
  const away = fallbackStore(failing({ take: () => assert.fail() }, () => new ServiceUnavailable()))
  await assert.rejects(away.take([rate]), ServiceUnavailable)
})
