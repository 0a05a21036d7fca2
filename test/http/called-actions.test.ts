// Actions that code calls: from handlers, from hooks, and from each other, with all checks and in one transaction.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  type CallContext,
  type HookContext,
  hyperlinkedIdentity,
  ignorePermissions,
  integer,
  key,
  type Migrations,
  NotFound,
  ownerOrReadOnly,
  type Permission,
  PermissionDenied,
  readOnly,
  related,
  resource,
  text,
  textKey,
  ValidationError,
} from 'resource-api'
import { createAudit } from '../../src/accounts/audit/audit.ts'
import { asUser, type LibraryApi, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_orders'(kysely, { key, reference, text }) {
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('state', text, column => column.notNull())
      .addColumn('owner_id', sql`integer`)
      .execute()
    await kysely.schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
      .addColumn('product', text, column => column.notNull())
      .addColumn('amount', sql`integer`, column => column.notNull())
      .execute()
    await kysely.schema
      .createTable('tags')
      .addColumn('name', text, column => column.primaryKey().notNull())
      .execute()
  },
}

type SavedContext = CallContext & Pick<HookContext, 'parameters'> & { readonly key: number; readonly action: string }

/** The hooks that run during the next requests. */
const hooks: {
  afterOrder?: (context: SavedContext) => unknown
  beforeOrder?: (context: CallContext & { readonly key: number | undefined }) => unknown
  validateOrder?: (context: CallContext) => unknown
  beforeOrderDestroy?: (context: CallContext & { readonly key: number }) => unknown
  afterLine?: (context: SavedContext) => unknown
} = {}

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = cast(${value('caller')} as integer)`,
    values: ({ user }) => ({ caller: user.id }),
  },
}

const orders = resource('orders', {
  table: 'orders',
  permissions: [authenticated, ownRows, ownerOrReadOnly('owner_id')],
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    number: text({ max: 10, unique: 'This number is taken.' }),
    state: text({ default: 'open' }),
    owner_id: readOnly(integer({ nullable: true })),
  },
  hookColumns: ['owner_id'],
  validate: async context => void (await hooks.validateOrder?.(context)),
  prepare: ({ action, user }) => (action === 'create' ? { owner_id: user.id } : {}),
  beforeSave: async context => void (await hooks.beforeOrder?.(context)),
  afterSave: async context => void (await hooks.afterOrder?.(context)),
  beforeDestroy: async context => void (await hooks.beforeOrderDestroy?.(context)),
})

const lines = resource('lines', {
  table: 'lines',
  permissions: [authenticated],
  fields: {
    id: key(),
    order: related(orders, { column: 'order_id' }),
    product: text({ max: 20 }),
    amount: integer({ min: 1, default: 1 }),
  },
  afterSave: async context => void (await hooks.afterLine?.(context)),
})

/** Nobody may write it. */
const sealed = resource('sealed', {
  table: 'orders',
  permissions: [{ allows: () => false }],
  auditEvent: 'sealed',
  fields: { number: text() },
  hookColumns: ['state'],
  prepare: () => ({ state: 'sealed' }),
})

/** Has no URLs: only code writes it. */
const log = resource('log', {
  table: 'lines',
  actions: [],
  fields: { order: integer({ column: 'order_id' }), product: text(), amount: integer() },
})

const tags = resource('tags', { table: 'tags', key: textKey({ column: 'name' }), fields: { name: key() } })

/** A handler that the test sets, called by POST. */
let handle: (context: CallContext) => unknown
let result: unknown

/** The error of a call; fails if there is none. */
const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('the call succeeded'),
    error => error,
  )

/** The audit events: event, user, target. */
const events: unknown[] = []

const stranger = resource('strangers', { table: 'orders', fields: { number: text() } })

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [orders, lines, sealed, log, tags],
    observe: createAudit(({ event, user, target }) => events.push([event, user, target])).observe,
    views: {
      '/run/': {
        name: 'Run',
        handlers: {
          async POST(context) {
            result = await handle(context)
            return { status: 204 }
          },
        },
      },
    },
  }),
  api => {
    let library: LibraryApi
    /** The keys of orders of ann and of bob. */
    let anns: number
    let bobs: number

    beforeEach(async () => {
      for (const name of Object.keys(hooks) as (keyof typeof hooks)[]) delete hooks[name]
      library = api()
      await library.database.transaction(async ({ kysely }) => {
        for (const table of ['lines', 'orders']) await kysely.deleteFrom(table).execute()
      })
      const [first, second] = await library.insert('orders', [
        { number: 'A1', state: 'open', owner_id: people.ann.id },
        { number: 'B1', state: 'open', owner_id: people.bob.id },
      ])
      anns = first!
      bobs = second!
    })

    /** Runs code in a handler, as ann; returns its result. */
    const run = async <Result>(work: (context: CallContext) => Result | Promise<Result>): Promise<Result> => {
      let failure: unknown
      handle = async context => {
        try {
          return await work(context)
        } catch (error) {
          failure = error
        }
      }
      assert.equal((await library.client.post('/run/', asUser('ann'))).status, 204)
      if (failure !== undefined) throw failure
      return result as Result
    }
    const numbers = async () => (await library.rows('orders')).map(({ number }) => number).toSorted()
    const products = async () => (await library.rows('lines')).map(({ product }) => product).toSorted()
    const post = (number: string) => library.client.post('/orders/', { ...asUser('ann'), json: { number } })

    test('create, update and destroy resolve to the key and to what a response would show', async () => {
      await run(async context => {
        // @ts-expect-error some compilers allow undefined
        const created = await orders.create({ number: ' A2 ', state: undefined }, context)
        const { values } = created
        assert.deepEqual(values, {
          url: `http://localhost/orders/${created.key}/`,
          id: created.key,
          number: 'A2',
          state: 'open',
          owner_id: people.ann.id,
        })
        const updated = await orders.update(created.key, { state: 'paid' }, context)
        assert.deepEqual(updated, { key: created.key, values: { ...values, state: 'paid' } })
        assert.equal(await orders.destroy(created.key, context), undefined)
      })
      assert.deepEqual(await numbers(), ['A1', 'B1'])
    })

    test('a called action refuses what a request of the caller would be refused', async () => {
      await run(async context => {
        for (const [call, expected] of [
          // @ts-expect-error a field is missing
          [() => orders.create({}, context), ValidationError],
          [() => orders.create({ number: 'B1' }, context), ValidationError],
          [() => orders.create({ number: 'a long number' }, context), ValidationError],
          [() => lines.create({ order: bobs, product: 'X' }, context), ValidationError],
          [() => orders.update(bobs, { state: 'paid' }, context), NotFound],
          [() => orders.destroy(bobs, context), NotFound],
          [() => orders.update(-1, {}, context), NotFound],
          [() => orders.update(1.5, {}, context), NotFound],
          [() => orders.destroy('x' as never, context), NotFound],
          [() => sealed.create({ number: 'A2' }, context), PermissionDenied],
          [() => sealed.update(anns, { number: 'A2' }, context), PermissionDenied],
          [() => sealed.destroy(anns, context), PermissionDenied],
        ] as const)
          assert.ok((await rejection(call())) instanceof expected)
        assert.equal((await sealed.create({ number: 'A2' }, ignorePermissions(context))).values.number, 'A2')
      })
      assert.deepEqual(await numbers(), ['A1', 'A2', 'B1'])
      assert.deepEqual(await products(), [])
    })

    test('an anonymous caller is refused as in a request', async () => {
      handle = context => orders.create({ number: 'A2' }, context)
      assert.equal((await library.client.post('/run/')).status, 401)
    })

    test('the errors of a call keep their fields, also in the response of the caller', async () => {
      hooks.afterOrder = context => lines.create({ order: context.key, product: '', amount: 0 }, context)
      const response = await post('A2')
      assert.equal(response.status, 400)
      assert.deepEqual(Object.keys(response.json()), ['product', 'amount'])
      assert.deepEqual(await numbers(), ['A1', 'B1'])
    })

    test('a called action is in the transaction of the hook: it sees its rows, and is rolled back with it', async () => {
      hooks.afterOrder = async context => {
        await lines.create({ order: context.key, product: 'first' }, context)
        await Promise.all([2, 3].map(amount => lines.create({ order: context.key, product: 'more', amount }, context)))
      }
      assert.equal((await post('A2')).status, 201)
      assert.deepEqual(await products(), ['first', 'more', 'more'])
      hooks.afterLine = () => {
        throw new PermissionDenied('Not this one.')
      }
      const refused = await post('A3')
      assert.deepEqual([refused.status, refused.json()], [403, { detail: 'Not this one.' }])
      assert.deepEqual(await numbers(), ['A1', 'A2', 'B1'])
      assert.equal((await products()).length, 3)
    })

    test('a call that fails is rolled back alone if the hook handles its error', async () => {
      hooks.afterLine = async context => {
        await lines.destroy(context.key, context)
        throw new Error('refused')
      }
      hooks.afterOrder = async context => {
        await rejection(lines.create({ order: context.key, product: 'lost' }, context))
        await rejection(orders.create({ number: 'A1' }, context))
        delete hooks.afterLine
        await lines.create({ order: context.key, product: 'kept' }, context)
      }
      assert.equal((await post('A2')).status, 201)
      assert.deepEqual(await products(), ['kept'])
      assert.deepEqual(await numbers(), ['A1', 'A2', 'B1'])
    })

    test('calls of several levels are one transaction', async () => {
      let isFailing = false
      hooks.afterOrder = async context => {
        if (context.action === 'create') await lines.create({ order: context.key, product: 'line' }, context)
      }
      hooks.afterLine = async context => {
        if (context.action !== 'create') return
        const { values } = await lines.update(context.key, { amount: 2 }, context)
        await orders.update(values.order as number, { state: 'filled' }, context)
        if (isFailing) throw new NotFound()
      }
      const created = await post('A2')
      assert.deepEqual([created.status, created.json().state], [201, 'filled'])
      isFailing = true
      assert.equal((await post('A3')).status, 404)
      assert.deepEqual(await numbers(), ['A1', 'A2', 'B1'])
      assert.deepEqual(await products(), ['line'])
    })

    test('hooks may change the object that they are called for', async () => {
      const afterOrder = async (context: SavedContext) => {
        delete hooks.afterOrder
        await orders.update(context.key, { state: 'sent' }, context)
      }
      hooks.beforeOrder = async context => {
        delete hooks.beforeOrder
        if (context.key !== undefined) await orders.update(context.key, { number: 'A1b' }, context)
        hooks.afterOrder = afterOrder
      }
      const response = await library.client.patch(`/orders/${anns}/`, { ...asUser('ann'), json: { state: 'paid' } })
      const { number, state } = response.json()
      assert.deepEqual([response.status, number, state], [200, 'A1b', 'sent'])
      hooks.beforeOrderDestroy = context => orders.update(context.key, { state: 'gone' }, context)
      assert.equal((await library.client.delete(`/orders/${anns}/`, asUser('ann'))).status, 204)
    })

    test('hooks that run before the transaction may change objects that are being written, and wait for none', async () => {
      const others = new Map([
        ['A2', bobs],
        ['B2', anns],
        ['A3', anns],
      ])
      const called = new Set<string>()
      hooks.validateOrder = async context => {
        const { number } = (context as unknown as { given: { number?: string } }).given
        const other = number === undefined || called.has(number) ? undefined : others.get(number)
        if (number === undefined || other === undefined) return
        called.add(number)
        await orders.update(other, { state: `after ${number}` }, ignorePermissions(context))
      }
      const patch = async (order: number, number: string, user: 'ann' | 'bob') =>
        (await library.client.patch(`/orders/${order}/`, { ...asUser(user), json: { number } })).status
      const statuses = await Promise.all([patch(anns, 'A2', 'ann'), patch(bobs, 'B2', 'bob')])
      assert.deepEqual([...statuses, await patch(anns, 'A3', 'ann')], [200, 200, 200])
      const rows = (await library.rows('orders')).map(({ number, state }) => [number, state])
      assert.deepEqual(rows, [
        ['A3', 'after A3'],
        ['B2', 'after A2'],
      ])
    })

    test('concurrent requests whose hooks write the same objects end, in any order', async () => {
      const other = (await library.insert('orders', [{ number: 'A9', state: 'open', owner_id: people.ann.id }]))[0]!
      hooks.afterOrder = async context => {
        if (context.request?.method !== 'PUT') return
        const isNested = context.parameters!.key !== String(context.key)
        if (!isNested) await orders.update(context.key === anns ? other : anns, { state: 'both' }, context)
      }
      const responses = await Promise.all(
        [anns, other, anns, other].map((id, index) =>
          library.client.put(`/orders/${id}/`, {
            ...asUser('ann'),
            json: { number: id === anns ? 'A1' : 'A9', state: `s${index}` },
          }),
        ),
      )
      // PostgreSQL ends one of two transactions that wait for each other.
      for (const { status } of responses) assert.ok([200, 409, 503].includes(status), String(status))
      assert.ok(responses.some(({ status }) => status === 200))
    })

    test('a handler shares its own transaction with the actions that it calls', async () => {
      const attempt = run(async context => {
        const { database } = library
        return rejection(
          database.transaction(async connection => {
            const { key: order } = await orders.create({ number: 'A2' }, { ...context, connection })
            await connection.kysely.updateTable('orders').set({ state: 'mine' }).where('id', '=', order).execute()
            const { values } = await orders.update(order, {}, context)
            assert.equal(values.state, 'mine')
            throw new Error('undone')
          }),
        )
      })
      assert.equal(((await attempt) as Error).message, 'undone')
      assert.deepEqual(await numbers(), ['A1', 'B1'])
    })

    test('without a transaction of the calling code, each call has its own', async () => {
      await run(async context => {
        await orders.create({ number: 'A2' }, context)
        await rejection(orders.create({ number: 'A2' }, context))
      })
      assert.deepEqual(await numbers(), ['A1', 'A2', 'B1'])
    })

    test('ignorePermissions gives a call all rows, and its hooks too', async () => {
      const seen: unknown[] = []
      hooks.afterOrder = async context => {
        seen.push(context.ignoresPermissions)
        if (context.action === 'update') await lines.create({ order: bobs, product: 'Bobs' }, context)
      }
      await run(async context => {
        const { values } = await orders.update(bobs, { state: 'paid' }, ignorePermissions(context))
        assert.deepEqual([values.number, values.state], ['B1', 'paid'])
        assert.ok((await rejection(lines.create({ order: bobs, product: 'X' }, context))) instanceof ValidationError)
      })
      assert.deepEqual(await products(), ['Bobs'])
      assert.deepEqual(seen, [true])
    })

    test('called actions are audited once they are committed, and only then', async () => {
      hooks.afterOrder = async context => {
        if (context.action === 'create') await lines.create({ order: context.key, product: 'line' }, context)
        await sealed.update(context.key, {}, ignorePermissions(context))
      }
      events.length = 0
      const { id } = (await post('A2')).json()
      const committed = [
        ['object created', 'ann', 'POST /lines/'],
        ['sealed', 'ann', `PATCH /sealed/${id}/`],
        ['object created', 'ann', 'POST /orders/'],
      ]
      assert.deepEqual(events.splice(0), committed)
      hooks.afterLine = () => {
        throw new NotFound()
      }
      assert.equal((await post('A3')).status, 404)
      assert.deepEqual(events, [])
      delete hooks.afterLine
      await run(async context => {
        const nested = library.database.transaction(async connection => {
          await orders.update(id, {}, { ...context, connection })
          throw new Error('undone')
        })
        await rejection(nested)
        await lines.destroy((await lines.create({ order: id, product: 'X' }, context)).key, context)
      })
      assert.deepEqual(
        events.map(event => (event as unknown[]).at(-1)).map(target => String(target).replace(/\d+/, '…')),
        ['POST /lines/', 'DELETE /lines/…/', 'POST /run/'],
      )
    })

    test('the target of an audit event contains a text key as its URL does', async () => {
      events.length = 0
      await run(async context => {
        const { key: tag } = await tags.create({ name: '$&/ä' }, context)
        await tags.destroy(tag, context)
      })
      assert.deepEqual(
        events.map(event => (event as unknown[]).at(-1)),
        ['POST /tags/', `DELETE /tags/${encodeURIComponent('$&/ä')}/`, 'POST /run/'],
      )
    })

    test('a key that no object can have is not found', async () => {
      for (const id of [undefined, null, '1', 1.5, 0, {}])
        for (const call of [
          (context: CallContext) => orders.update(id as never, {}, context),
          (context: CallContext) => orders.destroy(id as never, context),
          (context: CallContext) => tags.destroy(id === '1' ? 'x'.repeat(300) : (id as never), context),
        ])
          assert.ok((await run(context => rejection(call(context)))) instanceof NotFound, String(id))
    })

    test('a resource without actions over HTTP can be written by code', async () => {
      await run(context => log.create({ order: anns, product: 'seen', amount: 1 }, context))
      assert.deepEqual(await products(), ['seen'])
      assert.equal((await library.client.post('/log/', asUser('ann'))).status, 404)
    })

    for (const [mistake, message, call] of [
      [
        'another field',
        /orders\.create\(\): there is no field "numbr": write "number"/,
        // @ts-expect-error
        c => orders.create({ numbr: 'A' }, c),
      ],
      [
        'a read-only field',
        /cannot write the field "owner_id", which is read-only there: remove it/,
        // @ts-expect-error
        c => orders.create({ number: 'A', owner_id: 1 }, c),
      ],
      // @ts-expect-error
      ['the key', /orders\.update\(\) cannot write the field "id"/, c => orders.update(anns, { id: 5 }, c)],
      [
        'a resource that the API does not have',
        /the API "\/" has no resource "strangers", .*: add it to "resources"/,
        c => stranger.create({ number: 'A' }, c),
      ],
      [
        'no context',
        /orders: the context of a called action must be that of a handler or a hook/,
        () => orders.create({ number: 'A' }, { user: people.ann } as never),
      ],
    ] as const satisfies readonly (readonly [string, RegExp, (context: CallContext) => Promise<unknown>])[])
      test(`a call with ${mistake} is an Error that names the fix`, async () => {
        const error = await run(async context => {
          try {
            return await call(context)
          } catch (caught) {
            return caught
          }
        })
        assert.match((error as Error).message, message)
        assert.ok(!(error instanceof ValidationError))
      })

    test('a hook that does not await its call fails, and everything is rolled back', async () => {
      let unawaited: Promise<unknown> | undefined
      hooks.afterOrder = context => {
        unawaited = lines.create({ order: context.key, product: 'late' }, context)
      }
      assert.equal((await post('A2')).status, 500)
      const error = (await rejection(unawaited!)) as Error
      assert.match(error.message, /the transaction is over|await/)
      assert.deepEqual(await numbers(), ['A1', 'B1'])
      assert.deepEqual(await products(), [])
    })

    test('a call or a query in a transaction that is over is an Error', async () => {
      let kept: CallContext | undefined
      hooks.afterOrder = context => {
        kept = context
      }
      const id = (await post('A2')).json().id
      const overMessage = /the transaction is over: await every query and every call of a hook/
      assert.match(((await rejection(lines.create({ order: id, product: 'X' }, kept!))) as Error).message, overMessage)
      const query = async () => kept!.connection!.kysely.selectFrom('orders').selectAll().execute()
      assert.match(((await rejection(query())) as Error).message, overMessage)
      assert.equal((await post('A3')).status, 201)
    })

    test('a hook that calls its own action for ever is an Error', async () => {
      for (const hook of ['afterOrder', 'validateOrder'] as const) {
        let count = 0
        hooks[hook] = context => orders.create({ number: `N${++count}` }, context)
        assert.equal((await post('A2')).status, 500)
        assert.equal(count, 101)
        delete hooks[hook]
      }
      assert.deepEqual(await numbers(), ['A1', 'B1'])
    })
  },
  { migrations },
)
