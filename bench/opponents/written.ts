// Hand-written handlers that write several rows, on both databases: every field of a body is validated, the products of an order
// are found with one statement, and the rows are written in one transaction with prepared statements, on PostgreSQL with one
// statement for all rows of a table.

import { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance, FastifyReply } from 'fastify'
import pg from 'pg'
import { createApplication } from './application.ts'
import { Fault } from './fields.ts'
import { type Item, listProducts, type Order, readItems, readOrder } from './new-order.ts'

interface Store {
  /** The keys that exist. */
  findProducts(keys: readonly number[]): Promise<ReadonlySet<number>>
  /** The keys of the order and of its lines. */
  insertOrder(order: Order): Promise<{ readonly id: number; readonly lines: readonly number[] }>
  insertItems(items: readonly Item[]): Promise<readonly number[]>
  close(): Promise<void>
}

const fields = { allow: 'POST, OPTIONS', vary: 'Accept', 'content-type': 'application/json' } as const

/** Creates the application with the database at this URL; its `close` closes the database too. */
export function createWrittenByHand(url: string): FastifyInstance {
  const store = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url)
  const app = createApplication()
  app.addHook('onClose', () => store.close())
  app.post('/orders/', async (request, reply) => {
    const products = listProducts(request.body)
    const existing: ReadonlySet<number> = products.length === 0 ? new Set() : await store.findProducts(products)
    const read = readOrder(request.body, existing)
    if ('errors' in read) return send(reply, 400, read.errors)
    const { number, note, lines: given } = read.value
    const { id, lines } = await store.insertOrder(read.value)
    const shown = given.map(({ product, quantity }, index) => ({ id: lines[index], product, quantity }))
    return send(reply, 201, { id, number, note, lines: shown })
  })
  app.post('/items/', async (request, reply) => {
    const read = readAll(request.body)
    if ('errors' in read) return send(reply, 400, read.errors)
    const keys = await store.insertItems(read.values)
    return send(
      reply,
      201,
      read.values.map(({ name, note, amount }, index) => ({ id: keys[index], name, note, amount })),
    )
  })
  return app
}

const send = (reply: FastifyReply, status: number, body: unknown): FastifyReply =>
  reply.code(status).headers(fields).serializer(asItIs).send(JSON.stringify(body))

// With an own serializer, Fastify does not change the response's Content-Type.
const asItIs = (body: string): string => body

function readAll(body: unknown): ReturnType<typeof readItems> | { readonly errors: object } {
  try {
    return readItems(body)
  } catch (error) {
    if (error instanceof Fault) return { errors: { non_field_errors: error.errors } }
    throw error
  }
}

function openSqlite(path: string): Store {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  const find = database.prepare('select id from products where id in (select value from json_each(?))')
  const order = database.prepare('insert into orders (number, note) values (?, ?)')
  const line = database.prepare('insert into lines (order_id, product_id, quantity) values (?, ?, ?)')
  const item = database.prepare('insert into items (name, note, amount) values (?, ?, ?)')
  const transaction = <Result>(work: () => Result): Result => {
    database.exec('begin immediate')
    try {
      const result = work()
      database.exec('commit')
      return result
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }
  return {
    findProducts: async keys => new Set(find.all(JSON.stringify(keys)).map(row => row.id as number)),
    insertOrder: async ({ number, note: text, lines }) =>
      transaction(() => {
        const id = Number(order.run(number, text).lastInsertRowid)
        const keys = lines.map(({ product, quantity }) => Number(line.run(id, product, quantity).lastInsertRowid))
        return { id, lines: keys }
      }),
    insertItems: async items =>
      transaction(() =>
        items.map(({ name, note: text, amount }) => Number(item.run(name, text, amount).lastInsertRowid)),
      ),
    close: async () => database.close(),
  }
}

const statements = {
  products: 'select id from products where id = any($1::bigint[])',
  order: 'insert into orders (number, note) values ($1, $2) returning id',
  lines:
    'insert into lines (order_id, product_id, quantity) select $1::bigint, product, quantity from unnest($2::bigint[], $3::integer[]) as line (product, quantity) returning id',
  items:
    'insert into items (name, note, amount) select * from unnest($1::text[], $2::text[], $3::integer[]) returning id',
} as const

function openPostgres(url: string): Store {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const readKeys = async (client: Pick<pg.Pool, 'query'>, name: keyof typeof statements, values: unknown[]) => {
    const { rows } = await client.query({ name, text: statements[name], values, rowMode: 'array' })
    return rows.map(([id]) => Number(id))
  }
  const transaction = async <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
  return {
    findProducts: async keys => new Set(await readKeys(pool, 'products', [keys])),
    insertOrder: ({ number, note: text, lines }) =>
      transaction(async client => {
        const [id] = (await readKeys(client, 'order', [number, text])) as [number]
        if (lines.length === 0) return { id, lines: [] }
        const values = [id, lines.map(({ product }) => product), lines.map(({ quantity }) => quantity)]
        return { id, lines: await readKeys(client, 'lines', values) }
      }),
    insertItems: items =>
      readKeys(pool, 'items', [
        items.map(({ name }) => name),
        items.map(({ note: text }) => text),
        items.map(({ amount }) => amount),
      ]),
    close: () => pool.end(),
  }
}
