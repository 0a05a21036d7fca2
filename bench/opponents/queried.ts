// Hand-written handlers for one filtered, ordered and expanded list, on both databases: the query is checked by a schema,
// and each kind of query has one prepared statement for the rows and one for the count.

import { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { statuses } from '../queried.ts'
import { createApplication } from './application.ts'
import { createValidators, forReadOnlyList } from './responses.ts'
import { pageSize } from './store.ts'

interface OrderQuery {
  readonly status__in?: string
  readonly total__gte?: number
  readonly customer__country?: string
  readonly ordering?: 'total' | '-total'
  readonly expand?: 'customer'
  readonly page?: number
}

type OrderRow = readonly [
  id: number,
  number: string,
  status: string,
  total: number,
  customer: number,
  name: string,
  country: string,
]

interface Store {
  /** The parameter with this number, from 1. */
  placeholder(number: number): string
  /** Runs a statement, and returns its rows as arrays. */
  run(text: string, values: readonly (string | number)[]): unknown[][] | Promise<unknown[][]>
  close(): void | Promise<void>
}

const querySchema = {
  type: 'object',
  properties: {
    status__in: { type: 'string', pattern: `^(${statuses.join('|')})(,(${statuses.join('|')}))*$` },
    total__gte: { type: 'integer' },
    customer__country: { type: 'string' },
    ordering: { enum: ['total', '-total'] },
    expand: { enum: ['customer'] },
    page: { type: 'integer', minimum: 1 },
  },
} as const

/** Creates the application with the database at this URL; its `close` closes the database too. */
export function createQueriedByHand(url: string): FastifyInstance {
  const store = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url)
  const app = createApplication()
  app.addHook('onClose', async () => store.close())
  app.get('/orders/', { schema: { querystring: querySchema } }, async (request, reply) => {
    const query = request.query as OrderQuery
    const { page = 1 } = query
    const { where, values } = createWhere(query, store)
    const joined = `from orders join customers on customers.id = customer_id ${where}`
    const rows = store.run(
      `select orders.id, number, status, total, customers.id, customers.name, customers.country ${joined} order by ${formatOrder(query)} limit ${pageSize} offset ${store.placeholder(values.length + 1)}`,
      [...values, (page - 1) * pageSize],
    )
    // Without a filter by the customer, the count needs no join.
    const counted = store.run(
      `select count(*) ${query.customer__country === undefined ? `from orders ${where}` : joined}`,
      values,
    )
    const [[count]] = (await counted) as [[number]]
    const path = `${request.protocol}://${request.host}/orders/`
    const pages = Math.max(1, Math.ceil(Number(count) / pageSize))
    const found = ((await rows) as unknown as OrderRow[]).map(row => showOrder(row, query.expand === 'customer'))
    void reply.headers(forReadOnlyList).header('x-request-id', request.id)
    if (page > pages) return reply.code(404).send('{"detail":"Invalid page."}')
    const body = JSON.stringify({
      count: Number(count),
      next: page < pages ? createLink(path, request.url, page + 1) : null,
      previous: page > 1 ? createLink(path, request.url, page - 1) : null,
      results: found,
    })
    return reply.headers(createValidators(body, false)).serializer(asItIs).send(body)
  })
  return app
}

const asItIs = (body: string): string => body

function createWhere({ status__in, total__gte, customer__country }: OrderQuery, { placeholder }: Store) {
  const values: (string | number)[] = []
  const add = (value: string | number) => placeholder(values.push(value))
  const conditions = [
    ...(status__in === undefined ? [] : [`status in (${status__in.split(',').map(add).join(', ')})`]),
    ...(total__gte === undefined ? [] : [`total >= ${add(total__gte)}`]),
    ...(customer__country === undefined ? [] : [`customers.country = ${add(customer__country)}`]),
  ]
  return { where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, values }
}

const formatOrder = ({ ordering }: OrderQuery): string => {
  if (ordering === undefined) return 'orders.id'
  return ordering === 'total' ? 'total, orders.id' : 'total desc, orders.id desc'
}

const showOrder = ([id, number, status, total, customer, name, country]: OrderRow, isExpanded: boolean) => ({
  id: Number(id),
  number,
  status,
  total,
  customer: isExpanded ? { id: Number(customer), name, country } : Number(customer),
})

function createLink(path: string, url: string, page: number): string {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  if (page === 1) query.delete('page')
  else query.set('page', String(page))
  return `${path}?${query}`
}

function openSqlite(path: string): Store {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
  database.exec('pragma journal_mode = wal')
  const prepared = new Map<string, ReturnType<typeof database.prepare>>()
  const prepare = (text: string) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    prepared.set(text, statement)
    return statement
  }
  return {
    placeholder: number => `?${number}`,
    run: (text, values) => (prepared.get(text) ?? prepare(text)).all(...values) as unknown as unknown[][],
    close: () => database.close(),
  }
}

function openPostgres(url: string): Store {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const names = new Map<string, string>()
  return {
    placeholder: number => `$${number}`,
    async run(text, values) {
      const name = names.get(text) ?? `statement ${names.size}`
      names.set(text, name)
      return (await pool.query({ name, text, values: [...values], rowMode: 'array' })).rows
    },
    close: () => pool.end(),
  }
}
