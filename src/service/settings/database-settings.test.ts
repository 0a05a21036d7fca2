import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, type ServiceOptions, SettingsError } from './settings.ts'

const url = 'postgres://app@db/app'

test('pool sizes, timeouts, the pooler and the replicas are read from variables and from the config file', () => {
  const { postgres, databaseReplicaUrls } = readSettings({
    file: { postgres: { statementTimeout: 20_000, poolSize: 5 } },
    environment: {
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: '20',
      DATABASE_POOLER: 'transaction',
      DATABASE_REPLICA_URLS: 'postgres://app@one/app, postgresql://app@two/app',
    },
  })
  assert.deepEqual(postgres, {
    poolSize: 20,
    maxWaiting: 500,
    connectionTimeout: 5000,
    statementTimeout: 20_000,
    lockTimeout: 5000,
    idleInTransactionTimeout: 30_000,
    pooler: 'transaction',
  })
  assert.deepEqual(databaseReplicaUrls, ['postgres://app@one/app', 'postgresql://app@two/app'])
})

const invalid: readonly (readonly [environment: Record<string, string>, file: ServiceOptions, message: string])[] = [
  [{ DATABASE_POOL_SIZE: '0' }, {}, 'DATABASE_POOL_SIZE: must be 1 or more, not "0"'],
  [{ DATABASE_POOL_SIZE: 'ten' }, {}, 'DATABASE_POOL_SIZE: must be a whole number, not "ten"'],
  [{ DATABASE_POOLER: 'session' }, {}, 'DATABASE_POOLER: must be none or transaction, not "session"'],
  [{ DATABASE_REPLICA_URLS: 'http://secret@x/' }, {}, 'DATABASE_REPLICA_URLS: must be a list of postgres://… URLs'],
  [
    { DATABASE_URL: 'sqlite:x.db', DATABASE_REPLICA_URLS: url },
    {},
    'DATABASE_REPLICA_URLS: must not be set if the database is SQLite',
  ],
  [
    {},
    { postgres: { lockTimeout: 15_000 } },
    'postgres (config file).lockTimeout: must be less than statementTimeout, not 15000',
  ],
  [{}, { postgres: { lockTimeout: 0 } }, 'postgres (config file).lockTimeout: must be 1 or more, not 0'],
  [{}, { postgres: { poolsize: 1 } as never }, 'postgres (config file).poolsize: unknown setting: write "poolSize"'],
]

for (const [environment, file, message] of invalid)
  test(`an invalid setting is rejected at start: ${message}`, () => {
    assert.throws(() => readSettings({ environment, file }), { name: SettingsError.name, message })
  })
