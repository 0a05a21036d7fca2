// The settings for PostgreSQL: pool sizes, timeouts and replicas. docs/postgresql.md says how to choose them.

import * as z from 'zod'
import type { OpenOptions } from '#core'
import { parseInteger } from './setting-schemas.ts'

const positiveInteger = z.int('must be a whole number').min(1, 'must be 1 or more')
const milliseconds = z
  .int('must be a whole number of milliseconds')
  .min(1, 'must be 1 or more')
  .max(3_600_000, 'must be an hour or less')

export const postgresSchema = z
  .strictObject({
    /** The maximum number of connections of one process. */
    poolSize: z.preprocess(parseInteger, positiveInteger.max(10_000, 'must be 10000 or less')).default(10),
    /** Requests of one process that may wait for a connection; further requests are rejected at once. */
    maxWaiting: positiveInteger.default(500),
    /** Milliseconds that a request waits for a connection. */
    connectionTimeout: milliseconds.default(5000),
    /** Milliseconds that a statement may run. */
    statementTimeout: milliseconds.default(15_000),
    /** Milliseconds that a statement waits for a lock. */
    lockTimeout: milliseconds.default(5000),
    /** Milliseconds that a transaction may be idle. */
    idleInTransactionTimeout: milliseconds.default(30_000),
    /** `transaction` if a pooler such as PgBouncer may use a different server connection for each transaction. */
    pooler: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  })
  .refine(({ lockTimeout, statementTimeout }) => lockTimeout < statementTimeout, {
    path: ['lockTimeout'],
    error: 'must be less than statementTimeout',
  })

export const replicaUrl = z.string().regex(/^postgres(?:ql)?:\/\/.+$/s, 'must be a list of postgres://… URLs')

interface DatabaseSettings {
  readonly postgres: z.output<typeof postgresSchema>
  readonly databaseReplicaUrls: readonly string[]
}

/** Converts the settings to the options of `openDatabase`. */
export const databaseOptions = ({ postgres, databaseReplicaUrls }: DatabaseSettings): OpenOptions => ({
  postgres,
  replicaUrls: databaseReplicaUrls,
})
