// How the service uses its PostgreSQL: sizes, times, and where reads may go. docs/postgresql.md says how to choose.

import * as z from 'zod'
import type { OpenOptions } from '../../framework/database/open.ts'

const whole = z.int('must be a whole number').min(1, 'must be 1 or more')
const milliseconds = z
  .int('must be a whole number of milliseconds')
  .min(1, 'must be 1 or more')
  .max(3_600_000, 'must be an hour or less')

const digits = (value: unknown) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)

export const postgresSchema = z
  .strictObject({
    /** Connections of one process. */
    poolSize: z.preprocess(digits, whole.max(10_000, 'must be 10000 or less')).default(10),
    /** Requests of one process that may wait for a connection; further ones are refused at once. */
    maxWaiting: whole.default(500),
    /** Milliseconds that a request waits for a connection. */
    connectionTimeout: milliseconds.default(5000),
    /** Milliseconds that a statement may run. */
    statementTimeout: milliseconds.default(15_000),
    /** Milliseconds that a statement waits for a lock. */
    lockTimeout: milliseconds.default(5000),
    /** Milliseconds that a transaction may do nothing. */
    idleInTransactionTimeout: milliseconds.default(30_000),
    /** `transaction`: a pooler such as pgbouncer gives each transaction another connection. */
    pooler: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  })
  .refine(({ lockTimeout, statementTimeout }) => lockTimeout < statementTimeout, {
    path: ['lockTimeout'],
    error: 'must be less than statementTimeout',
  })

/** A URL of PostgreSQL. */
export const replicaUrl = z.string().regex(/^postgres(?:ql)?:\/\/.+$/s, 'must be postgres://… URLs')

interface DatabaseSettings {
  readonly postgres: z.output<typeof postgresSchema>
  readonly databaseReplicaUrls: readonly string[]
}

/** The settings as the framework takes them. */
export const databaseOptions = ({ postgres, databaseReplicaUrls }: DatabaseSettings): OpenOptions => ({
  postgres,
  replicaUrls: databaseReplicaUrls,
})
