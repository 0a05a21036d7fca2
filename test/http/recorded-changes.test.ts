// What the audit log stores of changed objects: old and new values, in the transaction of the write.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  computed,
  createContext,
  type Database,
  file,
  folder,
  json,
  key,
  type Migrations,
  nested,
  type OwnedMigrations,
  resource,
  text,
  ValidationError,
  writeOnly,
} from 'resource-api'
import { createAudit } from '../../src/accounts/audit/audit.ts'
import { createAuditLog } from '../../src/accounts/audit/audit-log.ts'
import { auditTables } from '../../src/accounts/audit/audit-table.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { byAnn, invoices, lines, notes, orderMigrations, orders, products } from '../support/order-tables.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  ...orderMigrations,
  async '0002_items'({ schema }, { key, text, json }) {
    await schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('about', text)
      .addColumn('pin', text)
      .addColumn('digest', text)
      .addColumn('options', json)
      .addColumn('picture', json)
      .execute()
  },
  async '0003_parcels'({ schema }, { key, reference, text }) {
    await schema
      .createTable('addresses')
      .addColumn('id', key)
      .addColumn('street', text, column => column.notNull())
      .execute()
    await schema
      .createTable('parcels')
      .addColumn('id', key)
      .addColumn('address_id', reference, column => column.unique().references('addresses.id'))
      .execute()
  },
}
const path = mkdtempSync(join(tmpdir(), 'pictures-'))
after(() => rmSync(path, { recursive: true }))

const owners: readonly OwnedMigrations[] = [auditTables]

const itemFields = {
  id: key(),
  name: text({ max: 20 }),
  about: text({ nullable: true, blank: true }),
  pin: writeOnly(text({ nullable: true })),
  secret: writeOnly(text({ required: false }), { stored: false }),
  options: json({ nullable: true }),
  upper: computed({ columns: ['name'], value: ({ name }) => String(name).toUpperCase() }),
}
let refuse = false
const items = resource('items', {
  table: 'items',
  objectName: 'name',
  bulk: 'each',
  fields: itemFields,
  hookColumns: ['digest'],
  prepare: () => ({ digest: 'never shown' }),
  afterSave({ after }) {
    if (refuse || after.name === 'refused') throw new ValidationError('Refused.')
  },
})
const safes = resource('safes', { table: 'items', noStore: true, objectName: 'name', fields: itemFields })
const named = resource('named', { table: 'items', noStore: true, auditFields: ['name'], fields: itemFields })
const silent = resource('silent', { table: 'items', auditEvent: null, fields: itemFields })
const pictures = resource('pictures', {
  table: 'items',
  fields: {
    id: key(),
    name: text(),
    picture: file({ store: folder(path), nullable: true, maxSize: 1000 }),
  },
})

const addresses = resource('addresses', { table: 'addresses', fields: { id: key(), street: text() } })
const parcels = resource('parcels', {
  table: 'parcels',
  fields: {
    id: key(),
    address: nested({ of: addresses, column: 'address_id', writable: true, nullable: true }),
  },
})

let statements: string[] = []

onEachDatabase(
  (database: Database) => {
    const log = createAuditLog({ database, retention: 90 })
    return {
      database,
      secret: 'x'.repeat(40),
      authentication: [userScheme],
      resources: [
        products,
        { ...orders, bulk: 'atomic' },
        lines,
        notes,
        invoices,
        items,
        safes,
        named,
        silent,
        pictures,
        addresses,
        parcels,
      ],
      observe: createAudit(log.record).observe,
      recordChanges: log.recordChanges,
      views: {
        '/rename/': {
          name: 'Rename',
          auditEvent: 'renamed',
          handlers: {
            async POST(context) {
              await items.update(1, { name: 'renamed' }, context)
              return { status: 204 }
            },
          },
        },
      },
    }
  },
  api => {
    interface Stored {
      readonly event: string
      readonly user: string | null
      readonly target: string
      readonly action: string | null
      readonly resource: string | null
      readonly object_key: string | null
      readonly object_name: string | null
      readonly changes: Readonly<Record<string, unknown>> | null
    }

    // Reads the table itself, without waiting for anything.
    const readLog = async (): Promise<readonly Stored[]> => {
      const { rows } = await sql<Omit<Stored, 'changes'> & { readonly changes: unknown }>`
        select * from audit_log order by id`.execute(api().database.kysely)
      return rows.map(row => ({
        ...row,
        changes: (typeof row.changes === 'string' ? JSON.parse(row.changes) : row.changes) as Stored['changes'],
      }))
    }
    const summarize = async () =>
      (await readLog()).map(({ action, resource, object_key, changes }) => [action, resource, object_key, changes])

    const create = async (path: string, body: object): Promise<number> => {
      const response = await api().client.post(path, byAnn(body))
      assert.equal(response.status, 201, response.text)
      return response.json().id
    }
    const clear = () =>
      api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('audit_log').execute()
      })

    beforeEach(async () => {
      refuse = false
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['orders', 'products', 'items', 'parcels', 'addresses', 'audit_log'])
          await kysely.deleteFrom(table).execute()
      })
      statements = []
    })

    test('AUD-1: on SQLite, changes that arrive together are recorded and committed together', async () => {
      const { client, database } = api()
      if (database.version === undefined) return
      const created = await Promise.all(
        Array.from({ length: 8 }, () =>
          client.post('/named/', { json: { name: 'x' }, headers: asUser('ann').headers }),
        ),
      )
      const versions = new Set<unknown>()
      const rename = async ({ headers: { location } }: (typeof created)[number]) => {
        const { status } = await client.patch(location!, { json: { name: 'y' }, headers: asUser('ann').headers })
        versions.add(database.version!())
        return status
      }
      assert.deepEqual(new Set(await Promise.all(created.map(rename))), new Set([200]))
      assert.ok(versions.size < 4, `${versions.size} commits`)
      const { rows } = await sql`select 1 from audit_log where resource = 'named' and action = 'update'`.execute(
        database.kysely,
      )
      assert.equal(rows.length, 8)
    })

    test('a create, a change and a delete are in the log when their responses arrive, with their values', async () => {
      const { client } = api()
      const id = await create('/items/', { name: 'lamp', about: null, options: { a: [1] } })
      await client.patch(`/items/${id}/`, byAnn({ name: 'lantern', options: { a: [1] } }))
      await client.delete(`/items/${id}/`, asUser('ann'))
      const rows = await readLog()
      const common = { user: 'ann', resource: 'items', object_key: String(id) }
      assert.deepEqual(
        rows.map(({ event, target, action, object_name, changes, user, resource, object_key }) => [
          { event, target, action, object_name, changes },
          { user, resource, object_key },
        ]),
        [
          {
            event: 'object created',
            target: 'POST /items/',
            action: 'create',
            object_name: 'lamp',
            changes: { name: { new: 'lamp' }, about: { new: null }, options: { new: { a: [1] } } },
          },
          {
            event: 'object changed',
            target: `PATCH /items/${id}/`,
            action: 'update',
            object_name: 'lantern',
            changes: { name: { old: 'lamp', new: 'lantern' } },
          },
          {
            event: 'object deleted',
            target: `DELETE /items/${id}/`,
            action: 'destroy',
            object_name: 'lantern',
            changes: { name: { old: 'lantern' }, about: { old: null }, options: { old: { a: [1] } } },
          },
        ].map(row => [row, common]),
      )
    })

    test('a write-only field is recorded by its name, without a value, also if it is stored', async () => {
      const id = await create('/items/', { name: 'lamp', pin: 'pin-1', secret: 'secret-1' })
      await api().client.patch(`/items/${id}/`, byAnn({ pin: 'pin-2' }))
      const rows = await readLog()
      assert.deepEqual(
        rows.map(({ changes }) => [changes!.pin, changes!.secret]),
        [
          [{}, {}],
          [{}, undefined],
        ],
      )
      assert.doesNotMatch(JSON.stringify(rows), /pin-|secret-|never shown/)
    })

    test('of a resource with noStore, only names are recorded, unless auditFields lists the field', async () => {
      const id = await create('/safes/', { name: 'lamp', about: 'private' })
      await api().client.patch(`/safes/${id}/`, byAnn({ name: 'lantern' }))
      await api().client.patch(`/named/${id}/`, byAnn({ name: 'torch', about: 'hidden' }))
      const rows = await readLog()
      assert.deepEqual(
        rows.map(({ changes, object_name }) => [object_name, changes]),
        [
          [null, { name: {}, about: {}, options: {} }],
          [null, { name: {} }],
          [null, { name: { old: 'lantern', new: 'torch' }, about: {} }],
        ],
      )
    })

    test('long new values are cut and marked, and old ones are whole', async () => {
      const id = await create('/items/', { name: 'lamp', about: 'x'.repeat(501) })
      await api().client.patch(`/items/${id}/`, byAnn({ about: 'y'.repeat(500), options: ['z'.repeat(600)] }))
      const [created, changed] = await readLog()
      assert.deepEqual(created!.changes!.about, { new: 'x'.repeat(500), cut: ['new'] })
      assert.deepEqual(changed!.changes!.about, { old: 'x'.repeat(501), new: 'y'.repeat(500) })
      assert.deepEqual(changed!.changes!.options, { old: null, new: `["${'z'.repeat(498)}`, cut: ['new'] })
    })

    test('a file is recorded by its name', async () => {
      const body = multipartBody(fieldPart('name', 'lamp'), filePart('picture', 'lamp.txt', 'content'))
      const headers = { ...asUser('ann').headers, ...multipartHeaders }
      const response = await api().client.post('/pictures/', { headers, body })
      assert.equal(response.status, 201, response.text)
      const [{ changes } = { changes: null }] = await readLog()
      assert.deepEqual(changes, { name: { new: 'lamp' }, picture: { new: 'lamp.txt' } })
    })

    test('a write that is refused leaves nothing in the log', async () => {
      const id = await create('/items/', { name: 'lamp' })
      await clear()
      refuse = true
      assert.equal((await api().client.patch(`/items/${id}/`, byAnn({ name: 'lantern' }))).status, 400)
      assert.equal((await api().client.post('/items/', byAnn({ name: 'other' }))).status, 400)
      assert.deepEqual(await readLog(), [])
    })

    test('a write that cannot be recorded is not made', async () => {
      const id = await create('/items/', { name: 'lamp' })
      const rename = (from: string, to: string) =>
        api().database.transaction(async ({ kysely }) => {
          await kysely.schema.alterTable(from).renameTo(to).execute()
        })
      await rename('audit_log', 'away')
      const { status } = await api().client.patch(`/items/${id}/`, byAnn({ name: 'lantern' }))
      await rename('away', 'audit_log')
      assert.equal(status, 500)
      assert.equal((await api().client.get(`/items/${id}/`, asUser('ann'))).json().name, 'lamp')
    })

    test('each item of a request with many objects is recorded, and no refused one', async () => {
      const { client } = api()
      const response = await client.post('/items/', byAnn([{ name: 'one' }, { name: 'refused' }, { name: 'two' }]))
      const [one, , two] = response.json()
      assert.equal(one.status, 201)
      const rows = await readLog()
      assert.deepEqual(
        rows.map(({ target, object_name }) => [target, object_name]),
        [
          ['POST /items/', 'one'],
          ['POST /items/', 'two'],
        ],
      )
      const keys = [one.body.id, two.body.id].map(String)
      assert.deepEqual(
        rows.map(({ object_key }) => object_key),
        keys,
      )
    })

    test('an atomic request with many objects is recorded by object', async () => {
      const { client } = api()
      const created = (await client.post('/orders/', byAnn([{ number: 'A' }, { number: 'B' }]))).json()
      const [first, second] = created.map(({ id }: { id: number }) => id)
      await clear()
      const patched = await client.patch(
        '/orders/',
        byAnn([
          { id: first, number: 'A2' },
          { id: second, number: 'B' },
        ]),
      )
      assert.equal(patched.status, 200, patched.text)
      await client.delete('/orders/', byAnn([first, second]))
      assert.deepEqual(await summarize(), [
        ['update', 'orders', String(first), { number: { old: 'A', new: 'A2' } }],
        ['destroy', 'orders', String(first), { number: { old: 'A2' }, due: { old: null } }],
        ['destroy', 'orders', String(second), { number: { old: 'B' }, due: { old: null } }],
      ])
    })

    test('children are recorded as objects of their own, and only those that changed', async () => {
      const { client } = api()
      const [tea, jam] = [await create('/products/', { name: 'tea' }), await create('/products/', { name: 'jam' })]
      const response = await client.post(
        '/orders/',
        byAnn({
          number: 'A',
          lines: [
            { product: tea, quantity: 1 },
            { product: jam, quantity: 2 },
          ],
        }),
      )
      const order = response.json()
      const [first, second] = order.lines.map(({ id }: { id: number }) => id)
      await clear()
      const lines = [{ id: first, product: tea, quantity: 5 }]
      await client.patch(`/orders/${order.id}/`, byAnn({ lines }))
      assert.deepEqual(await summarize(), [
        [
          'destroy',
          'lines',
          String(second),
          { order: { old: order.id }, product: { old: jam }, quantity: { old: 2 }, extras: { old: null } },
        ],
        ['update', 'lines', String(first), { quantity: { old: 1, new: 5 } }],
        ['update', 'orders', String(order.id), {}],
      ])
      const targets = new Set((await readLog()).map(({ target }) => target))
      assert.deepEqual([...targets], [`PATCH /orders/${order.id}/`])
    })

    test('an object to which a column refers is recorded as one of its own, and its key in the parent', async () => {
      const { client } = api()
      const id = await create('/parcels/', { address: { street: 'One' } })
      const { address } = (await client.get(`/parcels/${id}/`, asUser('ann'))).json()
      await client.patch(`/parcels/${id}/`, byAnn({ address: { street: 'Two' } }))
      await client.patch(`/parcels/${id}/`, byAnn({ address: null }))
      const [own, other] = [String(id), String(address.id)]
      assert.deepEqual(await summarize(), [
        ['create', 'addresses', other, { street: { new: 'One' } }],
        ['create', 'parcels', own, { address: { new: address.id } }],
        ['update', 'addresses', other, { street: { old: 'One', new: 'Two' } }],
        ['update', 'parcels', own, {}],
        ['destroy', 'addresses', other, { street: { old: 'Two' } }],
        ['update', 'parcels', own, { address: { old: address.id, new: null } }],
      ])
    })

    test('a called action is recorded beside the event of its request, and so is one without a request', async () => {
      const { client, database, app } = api()
      await database.transaction(({ kysely }) => kysely.insertInto('items').values({ id: 1, name: 'lamp' }).execute())
      assert.equal((await client.post('/rename/', asUser('ann'))).status, 204)
      await items.update(1, { name: 'again' }, createContext(app, { user: people.bob }))
      assert.deepEqual(
        (await readLog()).map(({ event, user, target, changes }) => [event, user, target, changes]),
        [
          ['object changed', 'ann', 'PATCH /items/1/', { name: { old: 'lamp', new: 'renamed' } }],
          ['renamed', 'ann', 'POST /rename/', null],
          ['object changed', 'bob', 'PATCH /items/1/', { name: { old: 'renamed', new: 'again' } }],
        ],
      )
    })

    test('a resource without audit events is not recorded, and its writes run no further statement', async () => {
      await create('/silent/', { name: 'lamp' })
      assert.deepEqual(await readLog(), [])
      assert.equal(statements.filter(text => /audit_log|json/.test(text) && /insert into/.test(text)).length, 1)
    })

    test('reads run no statement for the log', async () => {
      const id = await create('/items/', { name: 'lamp' })
      statements = []
      await api().client.get('/items/', asUser('ann'))
      await api().client.get(`/items/${id}/`, asUser('ann'))
      assert.equal(statements.filter(text => text.includes('audit_log')).length, 0)
      assert.equal(statements.length, 2)
    })
  },
  { migrations, owners, observe: text => void statements.push(text) },
)
