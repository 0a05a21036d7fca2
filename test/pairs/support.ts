// Several APIs on one database, and requests with their expected responses.

import assert from 'node:assert/strict'
import { after, before, suite } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  APIException,
  type ApiOptions,
  createApi,
  type ExceptionHandler,
  exceptionHandler,
  fastifyOptions,
  type Identity,
  JsonText,
  migrate,
  NotFound,
  type Permission,
  ValidationError,
} from 'resource-api'
import { createPageLink, type Paginator, parseCount, type Scheme, skip, success } from 'resource-api/extend'
import type { Schema } from 'resource-api/tables'
import { type TestApp, testApp } from 'resource-api/testing'

/**
 * `ann POST /notes/` or a function that returns it, the body, the status, and the expected body: a value, a pattern of its text, or a function that checks it.
 * Without a body, null; without an expected body, undefined.
 */
export type Step = readonly [
  request: string | (() => string),
  body: unknown,
  status: number,
  expected?: unknown,
  headers?: Readonly<Record<string, string>>,
]

// biome-ignore lint/suspicious/noExplicitAny: Kysely's queries over several tables, in shared helpers
export type Loose = any

export type Callers = Readonly<Record<string, Identity>>

/** Identifies callers by `X-Caller`. */
export const callerScheme = (callers: Callers): Scheme & { challenge: string } => ({
  name: 'caller',
  challenge: 'Caller',
  varyOn: ['x-caller'],
  authenticate({ headers }) {
    const caller = callers[String(headers['x-caller'])]
    return caller === undefined ? skip : success(caller, 'a header')
  },
})

export const caller = <More extends object>(id: number, username: string, more?: More) =>
  ({ isAuthenticated: true, id, username, isStaff: false, ...more }) as Identity & { readonly id: number } & More

/** `DjangoModelPermissions`: the permission that each method needs, among `perms` of the caller. */
export const modelPermission = (model: string, map: Readonly<Record<string, string>>): Permission => ({
  allows: ({ user, method }) =>
    user.isAuthenticated &&
    (map[method] === undefined ||
      ((user as { perms?: readonly string[] }).perms ?? []).includes(`${map[method]}_${model}`)),
})

/** What `createBody` of `numbered` gets; links are JSON. */
interface NumberedPage {
  readonly items: string
  readonly count: number
  readonly pages: number
  readonly next: string
  readonly previous: string
}

/** Pages by number, with a body of their own: a subclass of `PageNumberPagination`. */
export const numbered = (
  size: number,
  createBody: (page: NumberedPage) => string,
  { max = 10_000, sizeParameter = 'page_size' } = {},
): Paginator => ({
  parameters: { page: { type: 'integer', min_value: 1 }, [sizeParameter]: { type: 'integer', min_value: 1 } },
  plan(request) {
    const limit = Math.min(parseCount(request.query.get(sizeParameter)) || size, max)
    const page = parseCount(request.query.get('page') ?? '1')
    if (!page) throw new NotFound('Invalid page.')
    return {
      kind: 'counted',
      offset: (page - 1) * limit,
      limit,
      createPage(items, count) {
        const pages = Math.max(Math.ceil(count / limit), 1)
        if (page > pages) throw new NotFound('Invalid page.')
        const link = (to: number) =>
          JSON.stringify(to < 1 || to > pages ? null : createPageLink(request, { page: String(to) }))
        const body = createBody({
          items: `[${items.join(',')}]`,
          ...{ count, pages, next: link(page + 1), previous: link(page - 1) },
        })
        return { body: new JsonText(body) }
      },
    }
  },
})

/** A `ValidationError` of DRF without a field: its body is a list. */
export class ListedError extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'listed'
}
export const listErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof ListedError ? { ...response, body: [error.message] } : response
}

/** `HttpResponse(text)`. */
export const isHtml = (text: string) => (response: { readonly headers: Headers; readonly text: string }) =>
  assert.deepEqual([response.headers.get('content-type'), response.text], ['text/html; charset=utf-8', text])

/** taiga-back: pages in header fields. */
export const taigaPages: Paginator<never> = {
  varyOn: ['x-disable-pagination', 'x-lazy-pagination'],
  parameters: { page: { type: 'string' }, page_size: { type: 'integer', min_value: 1 } },
  describePages: () => ({ members: null, isOptional: false }),
  plan(request) {
    const { query, headers } = request
    if (headers?.['x-disable-pagination'] !== undefined) return undefined
    const size = parseCount(query.get('page_size')) || 30
    const asked = query.get('page') ?? '1'
    const page = asked === 'last' ? undefined : parseCount(asked)
    if (asked !== 'last' && !page) throw new NotFound("Page is not 'last', nor can it be converted to an int.")
    return {
      kind: 'counted',
      offset: page === undefined ? 'last' : (page - 1) * size,
      limit: size,
      createPage(items, count) {
        const pages = Math.max(Math.ceil(count / size), 1)
        const current = page ?? pages
        if (current > pages) throw new NotFound(`Invalid page (${current}): That page contains no results`)
        const link = (to: number) => createPageLink(request, { page: String(to) })
        return {
          body: new JsonText(`[${items.join(',')}]`),
          headers: {
            ...(headers?.['x-lazy-pagination'] === undefined && { 'x-pagination-count': String(count) }),
            'x-paginated': 'true',
            'x-paginated-by': String(size),
            'x-pagination-current': String(current),
            ...(current < pages && { 'x-pagination-next': link(current + 1) }),
            ...(current > 1 && { 'x-pagination-prev': link(current - 1) }),
          },
        }
      },
    }
  },
}
/** taiga-back: `exc.BadRequest` and others. */
export const taigaError = (message: string, status = 400) => {
  class TaigaError extends APIException {
    static override status = status
    static override message = message
    static override code = 'taiga'
  }
  return new TaigaError()
}
/** taiga-back: `exception_handler`. */
export const taigaErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof APIException && !(error instanceof ValidationError)
    ? {
        ...response,
        body: { _error_message: error.message, _error_type: `taiga.base.exceptions.${error.constructor.name}` },
      }
    : response
}

export interface PairOptions {
  readonly schema: Schema
  readonly callers: Callers
  /** SQL that follows the tables, such as views. */
  readonly statements?: readonly string[]
  /** The rows of each table. */
  readonly rows?: Readonly<Record<string, readonly object[]>>
  /** The options of each API, or a function of the database, by its prefix. */
  readonly apis: Readonly<Record<string, object>>
  /** The requests of each pair, by its name. */
  readonly pairs: Readonly<Record<string, readonly Step[]>>
}

/** The time of all requests. */
export const now = '2026-01-01T00:00:00.000000Z'

/** `define` is `test` of the file, because a test belongs to the file that calls `test`. */
export function testPairs(
  { schema, callers, statements = [], rows = {}, apis, pairs }: PairOptions,
  define: (name: string, run: () => Promise<void>) => void,
): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    suite(kind === 'sqlite' ? 'SQLite' : 'PostgreSQL', () => {
      let api: TestApp
      before(async () => {
        api = await testApp(
          async ({ database, clock }) => {
            await migrate(database, [schema])
            await database.transaction(async ({ kysely }) => {
              for (const statement of statements) await sql.raw(statement).execute(kysely)
              for (const [table, values] of Object.entries(rows)) {
                for (const row of values) await kysely.insertInto(table).values(storedRow(row, kind)).execute()
              }
            })
            const app = Fastify(fastifyOptions())
            for (const [prefix, options] of Object.entries(apis)) {
              const scheme = callerScheme(callers)
              const own = typeof options === 'function' ? options(database) : options
              const all = { database, clock, name: prefix, authentication: [scheme], ...own } as ApiOptions
              await app.register(createApi(all), { prefix })
            }
            return app
          },
          { database: kind, clock: now },
        )
      })
      after(() => api?.close())
      for (const [name, steps] of Object.entries(pairs)) {
        define(name, async () => {
          for (const step of steps) await take(api, step)
        })
      }
    })
  }
}

/** SQLite has no booleans, and both databases take the text of JSON. */
const storedRow = (row: object, kind: 'sqlite' | 'postgres') =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'boolean' && kind === 'sqlite'
        ? Number(value)
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : value,
    ]),
  )

async function take(api: TestApp, [given, body, status, expected, headers]: Step): Promise<void> {
  const request = typeof given === 'string' ? given : given()
  const [who = '', method = '', path = ''] = request.split(' ')
  const response = await api.request({
    method,
    path,
    ...(body === null ? {} : { body }),
    headers: { 'x-caller': who, ...headers },
  } as never)
  assert.equal(response.status, status, `${request}: ${response.text}`)
  if (expected === undefined) return
  if (expected instanceof RegExp) assert.match(response.text, expected, request)
  else if (typeof expected === 'function') expected(response)
  else assert.deepEqual(response.text === '' ? '' : response.json(), expected, request)
}
