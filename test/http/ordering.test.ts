// Orderings of lists: through relations, by computed values, with cursors; what is refused; and what cursors contain.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  computed,
  cursor,
  dateTime,
  file,
  folder,
  integer,
  json,
  jsonRenderer,
  key,
  type Migrations,
  nested,
  openDatabase,
  publicId,
  type Query,
  type Resource,
  related,
  resource,
  rowFilter,
  text,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import type { ResourceOptions } from '#core'
import { authors as libraryAuthors, tags } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'

const visible = ({ user }: { readonly user: { readonly id?: unknown } }) => user.id === people.sue.id

const plainFields = {
  id: key(),
  title: text(),
  secret: writeOnly(text()),
  summary: json(),
  scan: file({ store: folder('unused'), column: 'scan_file', nullable: true }),
  loud: computed({ columns: ['title'], value: ({ title }) => title }),
  author: related(libraryAuthors),
  author_in_full: nested({ of: libraryAuthors, column: 'author_id' }),
  tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' } }),
  shelf: text({ visible, default: '-' }),
}

type Options = ResourceOptions<Record<string, Field>, string>

async function start(options: Partial<Options>): Promise<void> {
  const { app, stop } = await startApi({
    database: openDatabase('sqlite::memory:'),
    resources: [
      libraryAuthors,
      tags,
      resource('books', { table: 'books', fields: plainFields, ...options } as Options),
    ],
  })
  try {
    await app.ready()
  } finally {
    await stop()
  }
}

suite('a wrong search or ordering is an error at start that names the fix', () => {
  const many =
    'is a relation to many objects, which have no order of their own: order by a computed field, such as computed(integer(), ({ row }) => sql`select count(*) …`)'
  const noColumn = 'field "loud" has no column of its own: only a value of a column or of SQL can be compared'
  const isJson = 'is stored as JSON, which cannot be compared'
  const named = { fields: { ...plainFields, author: related('authors') } }
  const reveals = 'is not visible to every caller, and this would reveal it: remove it'
  for (const [options, message] of [
    [{ searchFields: 'title' }, 'searchFields must be a list: write ["title"]'],
    [{ searchFields: ['titel'] }, 'searchFields: there is no field "titel": write "title"'],
    [{ searchFields: ['secret'] }, 'searchFields: field "secret" is write-only, and this would reveal it'],
    [{ searchFields: ['loud'] }, `searchFields: ${noColumn}`],
    [{ searchFields: ['author.nam'] }, 'searchFields: "author.nam": there is no field "nam": write "name"'],
    [{ searchFields: ['author.nam'], ...named }, 'searchFields: "author.nam": there is no field "nam": write "name"'],
    [
      { searchFields: ['author_in_full'] },
      'searchFields: field "author_in_full" contains objects: follow it with one of their fields, such as "author_in_full.id"',
    ],
    [
      { searchFields: ['title', 'scan'] },
      'searchFields: field "scan" is a file, whose column contains where it is stored: remove it',
    ],
    [{ orderingFields: ['scan'] }, `orderingFields: field "scan" ${isJson}`],
    [{ ordering: ['-scan'] }, `ordering: field "scan" ${isJson}`],
    [{ ordering: ['scan_file'] }, `ordering: field "scan" ${isJson}`],
    [{ pagination: createCursor('summary') }, `the ordering of its pagination: field "summary" ${isJson}`],
    [
      { filters: { scan: true } },
      'filters: "scan": the lookup "exact" does not fit a value of the type file upload: use isnull',
    ],
    [{ orderingFields: ['loud'] }, `orderingFields: ${noColumn}`],
    [{ orderingFields: ['secret'] }, 'orderingFields: field "secret" is write-only, and this would reveal it'],
    [{ orderingFields: ['summary'] }, `orderingFields: field "summary" ${isJson}`],
    [{ orderingFields: ['tags'] }, `orderingFields: field "tags" ${many}`],
    [{ orderingFields: ['tags.name'] }, `orderingFields: "tags.name": field "tags" ${many}`],
    [{ orderingFields: ['author.nam'] }, 'orderingFields: "author.nam": there is no field "nam": write "name"'],
    [
      { orderingFields: ['author.nam'], ...named },
      'orderingFields: "author.nam": there is no field "nam": write "name"',
    ],
    [
      { orderingFields: ['title.x'] },
      'orderingFields: "title.x": field "title" is not a relation, so nothing can follow it',
    ],
    [{ ordering: 'title' }, 'ordering must be a list: write ["title"]'],
    [{ ordering: ['loud'] }, `ordering: ${noColumn}`],
    [{ ordering: ['-author.nam'] }, 'ordering: "author.nam": there is no field "nam": write "name"'],
    [{ ordering: ['-author.nam'], ...named }, 'ordering: "author.nam": there is no field "nam": write "name"'],
    [{ ordering: ['-tags.name'] }, `ordering: "tags.name": field "tags" ${many}`],
    [{ ordering: ['shelf'] }, `ordering: field "shelf" ${reveals}`],
    [{ ordering: ['author.name'], ...hideAuthorNames() }, `ordering: field "author.name" ${reveals}`],
    [
      { pagination: createCursor('-author.name'), ...hideAuthorNames() },
      `the ordering of its pagination: field "author.name" ${reveals}`,
    ],
    [
      { pagination: createCursor('author.nam') },
      'the ordering of its pagination: "author.nam": there is no field "nam": write "name"',
    ],
  ] as readonly (readonly [object, string])[]) {
    test(message, async () => {
      await assert.rejects(async () => start(options as Partial<Options>), { message: `resource "books": ${message}` })
    })
  }
})

function createCursor(ordering: string | readonly string[]) {
  return cursor({ pageSize: 2, secret: 's'.repeat(32), ordering })
}

function hideAuthorNames() {
  const hidden = { ...libraryAuthors, fields: { ...libraryAuthors.fields, name: text({ visible, default: '-' }) } }
  return { fields: { ...plainFields, author: related(hidden) } }
}

const migrations: Migrations = {
  async '0001_shop'({ schema }, { text, key, reference, dateTime }) {
    await schema
      .createTable('customers')
      .addColumn('id', key)
      .addColumn('public_id', text, column => column.notNull().unique())
      .addColumn('name', text)
      .addColumn('rank', 'integer')
      .addColumn('owner_id', 'integer')
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('customer_id', reference)
      .addColumn('due', dateTime)
      .execute()
  },
}

const customers = resource('customers', {
  table: 'customers',
  key: publicId('cus'),
  wire: 'camelCase',
  permissions: [rowFilter(({ row, caller }) => sql`${row.owner_id} is null or ${row.owner_id} = ${caller.id}`)],
  fields: {
    id: key(),
    full_name: text({ column: 'name', nullable: true }),
    rank: integer({ nullable: true, visible }),
    is_mine: computed(integer(), ({ row, caller }) => sql`case when ${row.owner_id} = ${caller.id} then 1 else 0 end`),
  },
})

const orderOptions = {
  table: 'orders',
  actions: ['list'],
  fields: {
    id: key(),
    buyer: related('customers', { column: 'customer_id', nullable: true }),
    due: dateTime({ nullable: true }),
    is_late: computed(integer(), ({ row, now }) => sql`case when ${row.due} < ${now} then 1 else 0 end`),
  },
  wire: { buyer: 'soldTo', is_late: 'isLate' },
  searchFields: ['buyer.full_name', 'buyer.rank'],
  orderingFields: ['id', 'buyer', 'buyer.id', 'buyer.full_name', 'buyer.rank', 'buyer.is_mine', 'is_late'],
  pagination: null,
} as const

const orders = resource('orders', orderOptions)
const resources: readonly Resource[] = [
  customers,
  orders,
  resource('strict', { ...orderOptions, strict: true }),
  resource('unordered', { table: 'orders', actions: ['list'], fields: { id: key() }, strict: true }),
  resource('by-buyer', { ...orderOptions, ordering: ['buyer'] }),
  resource('mine-first', { ...orderOptions, ordering: ['-buyer.is_mine', 'buyer.full_name'] }),
  resource('walked', { ...orderOptions, pagination: createCursor('buyer') }),
]

const publicIdOf = (number: number) => `cus_${'0'.repeat(15)}${number}`

let time = new Date('2026-01-01T00:00:00Z')

onEachDatabase(
  () => ({
    resources,
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    clock: () => time,
  }),
  api => {
    let shop: LibraryApi
    before(async () => {
      shop = api()
      await shop.database.transaction(async ({ kysely }) => {
        // The order of the public ids is the opposite of the order of the integers.
        await kysely
          .insertInto('customers')
          .values([
            { id: 70, public_id: publicIdOf(3), name: 'Cleo', rank: 1, owner_id: null },
            { id: 80, public_id: publicIdOf(2), name: 'Anna', rank: 2, owner_id: people.ann.id },
            { id: 90, public_id: publicIdOf(1), name: 'Bert', rank: 3, owner_id: null },
          ])
          .execute()
        const due = (day: number) => `2026-01-0${day}T12:00:00.000000Z`
        await kysely
          .insertInto('orders')
          .values([
            { id: 1, customer_id: null, due: due(1) },
            { id: 2, customer_id: 90, due: due(3) },
            { id: 3, customer_id: 80, due: due(2) },
            { id: 4, customer_id: 70, due: due(1) },
            { id: 5, customer_id: 80, due: due(3) },
          ])
          .execute()
      })
    })

    type Caller = 'ann' | 'bob' | 'sue'
    const get = (path: string, caller: Caller = 'bob') => shop.client.get(path, asUser(caller))
    const list = async (path: string, caller?: Caller): Promise<string> => {
      const response = await get(path, caller)
      assert.equal(response.status, 200, response.text)
      const body = response.json()
      return (Array.isArray(body) ? body : body.results).map(({ id }: { id: number }) => id).join('')
    }

    test('a hidden related object sorts as null, in the order of a query and in the declared order', async () => {
      assert.equal(await list('/orders/?ordering=soldTo__fullName', 'ann'), '35241')
      assert.equal(await list('/orders/?ordering=soldTo__fullName', 'bob'), '24135')
      assert.equal(await list('/orders/?ordering=-soldTo__fullName', 'bob'), '53142')
      assert.deepEqual([await list('/by-buyer/', 'ann'), await list('/by-buyer/', 'bob')], ['43521', '42135'])
      assert.deepEqual([await list('/mine-first/', 'ann'), await list('/mine-first/', 'bob')], ['13524', '13524'])
    })

    test('the first of two orderings by the same name counts, and a parameter may be repeated', async () => {
      assert.equal(await list('/strict/?ordering=-id,id'), '54321')
      assert.equal(await list('/strict/?ordering=id,-id'), '12345')
      assert.equal(await list('/strict/?ordering=-id,,&ordering=soldTo'), '54321')
      assert.equal(await list('/strict/?ordering=-soldTo&ordering=-id'), '53124')
    })

    test('an order that depends on the time is never taken from the cache', async () => {
      time = new Date('2026-01-02T00:00:00Z')
      assert.equal(await list('/orders/?ordering=-isLate,id'), '14235')
      time = new Date('2026-01-03T00:00:00Z')
      assert.equal(await list('/orders/?ordering=-isLate,id'), '13425')
    })

    test('an unknown name is ignored, or 400 with the nearest name in a strict list', async () => {
      const refused = 'The list cannot be ordered by this name.'
      for (const [name, hint] of [
        ['soldTo__fullNam', ' Did you mean "soldTo__fullName"?'],
        ['-soldTo__full_name', ' Did you mean "soldTo__fullName"?'],
        ['--id', ' Did you mean "id"?'],
        ['__proto__', ''],
        ['x'.repeat(3000), ''],
      ] as const) {
        assert.equal(await list(`/orders/?ordering=${name},-id`), '54321')
        const response = await get(`/strict/?ordering=${name},-id`)
        assert.deepEqual([response.status, response.json()], [400, { ordering: [refused + hint] }])
      }
      assert.equal((await get('/unordered/?ordering=id')).status, 400)
      const unsearched = await get('/unordered/?search=x')
      assert.deepEqual([unsearched.status, unsearched.json()], [400, { search: ['There is no such parameter.'] }])
      assert.equal(await list('/unordered/?search='), '12345')
      assert.equal(await list('/unordered/?ordering='), '12345')
    })

    test('a caller who does not see a field can neither search nor order by it', async () => {
      assert.equal(await list('/orders/?ordering=soldTo__rank', 'sue'), '42135')
      assert.equal(await list('/orders/?ordering=-soldTo__rank', 'bob'), '12345')
      assert.equal((await get('/strict/?ordering=soldTo__rank', 'bob')).status, 400)
      assert.deepEqual([await list('/orders/?search=3', 'sue'), await list('/orders/?search=3', 'bob')], ['2', ''])
    })

    test('the page of a list offers the orders that the caller may use', async () => {
      const readPage = async (caller: Caller) => {
        const { 'x-user': user } = asUser(caller).headers
        return (await shop.client.get('/orders/', { headers: { 'x-user': user, accept: 'text/html' } })).text
      }
      const [page, pageOfSue] = [await readPage('bob'), await readPage('sue')]
      assert.match(page, /<option value="-soldTo__fullName" ?>Buyer full name, descending</)
      assert.doesNotMatch(page, /soldTo__rank/)
      assert.match(pageOfSue, /<option value="soldTo__rank" ?>Buyer rank, ascending</)
    })

    test('a cursor belongs to its ordering, and contains public ids only', async () => {
      for (const [ordering, expected] of [
        ['', '24135'],
        ['ordering=-soldTo', '53142'],
        ['ordering=soldTo__id', '24135'],
        ['ordering=-soldTo__fullName,-id', '53142'],
        ['ordering=isLate,soldTo', '25413'],
      ] as const) {
        const ids: string[] = []
        let path: string | null = `/walked/?${ordering}`
        while (path !== null) {
          ids.push(await list(path, 'bob'))
          const { next }: { next: string | null } = (await get(path, 'bob')).json()
          path = next?.replace('http://localhost', '') ?? null
          if (path === null) continue
          const { searchParams } = new URL(next!)
          const [payload] = searchParams.get('cursor')!.split('.')
          const position = Buffer.from(payload!, 'base64url').toString()
          assert.doesNotMatch(position, /70|80|90|00002|Anna/)
          searchParams.set('ordering', 'id')
          assert.equal((await get(`/walked/?${searchParams}`)).status, 404)
        }
        assert.equal(ids.join(''), expected, ordering)
      }
    })
  },
  { migrations },
)

test('the compiler knows the names to search and to order by', () => {
  const query: Query<typeof orders> = { search: '"red wine" 2020', ordering: '-soldTo__full_name' }
  assert.ok(query)
  const options = { table: 'orders', fields: { id: key() } } as const
  assert.throws(
    // @ts-expect-error the path begins with no field
    () => resource('orders', { ...options, searchFields: ['buyer.name'] }),
  )
  assert.throws(
    // @ts-expect-error the path begins with no field
    () => resource('orders', { ...options, orderingFields: ['buyer.name'] }),
  )
  assert.throws(
    // @ts-expect-error the path begins with no field
    () => resource('orders', { ...options, ordering: ['-buyer.name'] }),
  )
})
