// Stores the responses to requests with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), each in the
// transaction of the write: after a crash, either both exist or neither does (decision 068).

import { sql } from 'kysely'
import { type Connection, compile, type Database, parameter } from '../../database/database.ts'
import { step } from '../../database/migrations/declared-step.ts'
import type { LoadedMigrations } from '../../database/migrations/migrations.ts'
import { compileSweep } from '../../database/sweep.ts'
import { Conflict, IdempotencyKeyReused } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { type ApiResponse, Document, formatBody, JsonStream, JsonText } from '../response.ts'
import type { IdempotentRequest } from './idempotent-request.ts'

/** The migrations of the table that `idempotencyKeys` of `createApi` needs. */
export const idempotencyMigrations: LoadedMigrations = {
  owner: 'idempotency',
  steps: {
    '0001_responses': step({
      change: [
        {
          createTable: 'idempotent_responses',
          columns: { key: 'text', body: 'text', response: 'text', expires: { sqlite: 'bigint', postgres: 'bigint' } },
          key: ['key'],
          indexes: { idempotent_responses_by_end: { columns: ['expires'] } },
        },
      ],
      // It was a function.
      formerDigests: ['1-5lJOGyC-q1NXkr-mRjUs4RZFM0y8GM0yscEhpT_Gj1g'],
    }),
  },
}

export interface IdempotencyStore {
  /** Finds the response to the first request; undefined if there is none. Rejects with IdempotencyKeyReused. */
  find(request: IdempotentRequest): Promise<ApiResponse | undefined>
  /**
   * Runs `work` in a transaction that stores its response, or resolves to the response that another process has stored
   * since `find`. Rejects with Conflict while a request with this key runs. If `work` rejects, or resolves to a 4xx or 5xx,
   * the transaction is rolled back, so nothing is stored.
   */
  run(request: IdempotentRequest, work: (connection: Connection) => Promise<ApiResponse>): Promise<StoredOnce>
}

export interface StoredOnce {
  readonly response: ApiResponse
  /** True: another request has stored it. */
  readonly isReplay: boolean
}

/** A day, in milliseconds. */
const lifetime = 24 * 60 * 60 * 1000

// Every 100th stored response deletes up to 1000 expired ones, so the table does not grow and each sweep is short.
const storesPerSweep = 100
const rowsPerSweep = 1000

/** Creates the store in a database that has the table of `idempotencyMigrations`. */
export function createIdempotencyStore(database: Database, clock: () => Date): IdempotencyStore {
  const statements = compileStatements(database)
  const running = new Set<string>()
  let stores = 0
  const find = async (connection: Pick<Connection, 'first'>, { key, body }: IdempotentRequest) => {
    const row = await connection.first(statements.find, { key, now: clock().getTime() })
    if (row === undefined) return undefined
    if (row[0] !== body) throw new IdempotencyKeyReused()
    return parseResponse(row[1])
  }
  const store = async (connection: Connection, { key, body }: IdempotentRequest, response: ApiResponse) => {
    const now = clock().getTime()
    stores += 1
    if (stores % storesPerSweep === 0) await connection.run(statements.sweep, { now, maxRows: rowsPerSweep })
    const values = { key, body, response: formatResponse(response), expires: now + lifetime }
    await connection.run(statements.store, values)
  }
  return {
    find: request => find({ first: (statement, values) => database.latest(statement, values) }, request),
    async run(request, work) {
      const { key } = request
      if (running.has(key)) throw createConflict()
      running.add(key)
      try {
        return await database.transaction(async connection => {
          const [isLocked] = (await connection.first(statements.lock, { key })) ?? []
          if (!isLocked) throw createConflict()
          const stored = await find(connection, request)
          if (stored !== undefined) return { response: stored, isReplay: true }
          const response = await work(connection)
          if (response.status >= 400) throw new FailedResponse(response)
          await store(connection, request, response)
          return { response, isReplay: false }
        })
      } catch (error) {
        if (error instanceof FailedResponse) return { response: error.response, isReplay: false }
        throw error
      } finally {
        running.delete(key)
      }
    },
  }
}

/** A 4xx or 5xx that a handler returned. Thrown inside the transaction, which it rolls back. */
class FailedResponse extends Error {
  override name = 'FailedResponse'
  readonly response: ApiResponse
  constructor(response: ApiResponse) {
    super()
    this.response = response
  }
}

/** In seconds; most requests end sooner. */
const waitForFirst = 1

const createConflict = () => new Conflict(frameworkMessages('conflict.idempotency_key'), undefined, waitForFirst)

interface StoredResponse extends Pick<ApiResponse, 'status' | 'headers' | 'validators'> {
  /** JSON; absent for an empty body. */
  readonly text?: string
}

function formatResponse({ status, headers, validators, body }: ApiResponse): string {
  if (body instanceof JsonStream || body instanceof Document)
    throw new Error('an idempotent view must respond with JSON: its response can be stored only as a whole')
  const stored: StoredResponse = {
    status,
    ...(headers && { headers }),
    ...(validators && { validators }),
    ...(body !== undefined && { text: formatBody(body) }),
  }
  return JSON.stringify(stored)
}

function parseResponse(stored: string): ApiResponse {
  const { text, ...response } = JSON.parse(stored) as StoredResponse
  return { ...response, ...(text !== undefined && { body: new JsonText(text) }) }
}

function compileStatements(database: Database) {
  const [key, now] = [parameter('key'), parameter('now')]
  return {
    find: compile<readonly [body: string, response: string]>(
      database,
      sql`select body, response from idempotent_responses where ${sql.id('key')} = ${key} and expires > ${now}`,
    ),
    lock: compile<readonly [isLocked: unknown]>(database, sql`select ${database.dialect.tryLock(key)}`),
    store: compile(
      database,
      database.kysely
        .insertInto('idempotent_responses')
        .values({
          key,
          body: parameter('body'),
          response: parameter('response'),
          expires: parameter('expires'),
        })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({
            body: sql.ref('excluded.body'),
            response: sql.ref('excluded.response'),
            expires: sql.ref('excluded.expires'),
          }),
        ),
    ),
    sweep: compileSweep(database, 'idempotent_responses', 'expires'),
  }
}
