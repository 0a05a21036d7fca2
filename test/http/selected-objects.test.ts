// Nested objects that bodies select by key or by unique values, or create.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import {
  authenticatedOrReadOnly,
  browsable,
  type CreateBody,
  forTypes,
  type Identity,
  jsonRenderer,
  key,
  nested,
  type Permission,
  text,
  ValidationError,
} from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { reference, table, tables, tenant } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const companies = table('companies', { columns: { id: key(), name: text() } })
const categories = table('categories', {
  columns: {
    id: key(),
    company: tenant('companies'),
    name: text({ unique: 'There is a category with this name.' }),
    note: text({ nullable: true }),
  },
})
const tags = table('tags', {
  columns: { id: key(), kind: text(), slug: text() },
  unique: [['kind', 'slug']],
})
const goods = table('goods', {
  columns: {
    id: key(),
    name: text(),
    category: reference('categories', { relatedName: 'goods' }),
    second: reference('categories', { relatedName: 'second_goods', nullable: true }),
  },
})
const goodTags = table('good_tags', {
  key: ['good', 'tag'],
  columns: { good: reference('goods', { onDelete: 'cascade' }), tag: reference('tags') },
})
const schema = tables({ owner: 'goods', tables: [companies, categories, tags, goods, goodTags] })

interface Member extends Identity {
  readonly company_id: number
}
const { resource } = forTypes<Member, typeof schema>()
const categoryResource = resource('categories', {
  table: categories,
  fields: categories.pick('id', 'name', 'note'),
  pagination: null,
})
const watchedResource = resource('watched-categories', {
  table: categories,
  fields: categories.pick('id', 'name', 'note'),
  pagination: null,
  permissions: [
    authenticatedOrReadOnly,
    {
      allows: () => true,
      columns: ['note'],
      allowsObject: (_, { note }) => note !== 'locked',
    } as Permission,
  ],
  validate: ({ values, before }) => {
    if (before?.name === 'Fish' && values.name === 'Meat') throw new ValidationError({ name: 'Fish is no meat.' })
  },
})
const tagResource = resource('tags', {
  table: tags,
  rows: { not: { kind: 'secret' } },
  fields: tags.pick('id', 'kind', 'slug'),
  pagination: null,
})
const joined = { table: 'good_tags', own: 'good_id', other: 'tag_id' }
const goodResource = resource('goods', {
  table: goods,
  pagination: null,
  fields: {
    ...goods.pick('id', 'name'),
    category: nested({ of: categoryResource, column: 'category_id', writable: ['select', 'add'] }),
    second: nested({ of: categoryResource, column: 'second_id', writable: ['select'], nullable: true }),
    tags: nested({ of: tagResource, many: joined, writable: ['select', 'add', 'remove'] }),
    more_tags: nested({ of: tagResource, many: joined, fields: ['kind', 'slug'], writable: ['select'] }),
  },
})

// Bodies also change the objects that they select.
const changingResource = resource('changing-goods', {
  table: goods,
  pagination: null,
  fields: {
    ...goods.pick('id', 'name'),
    category: nested({ of: categoryResource, column: 'category_id', writable: ['select', 'add', 'change'] }),
    second: nested({ of: watchedResource, column: 'second_id', writable: ['select', 'change'], nullable: true }),
    tags: nested({ of: tagResource, many: joined, writable: ['select', 'add', 'change'] }),
  },
})

// The bodies of clients.
const bodies: readonly CreateBody<typeof goodResource>[] = [
  { name: 'milk', category: { id: 1 } },
  {
    name: 'milk',
    category: { name: 'Dairy' },
    tags: [{ id: 1 }, { kind: 'a', slug: 'b' }],
    more_tags: [{ slug: 'b' }],
  },
]
assert.equal(bodies.length, 2)

const scheme: Scheme = {
  name: 'company',
  challenge: 'Company',
  varyOn: ['x-company'],
  authenticate({ headers }) {
    const company = headers['x-company']
    if (company === undefined) return skip
    if (company === '') return failure('no company')
    return success({
      isAuthenticated: true,
      id: 1,
      username: 'ann',
      isStaff: false,
      company_id: Number(company),
    } as Member)
  },
}

const statements: string[] = []

onEachDatabase<Member>(
  () =>
    ({
      resources: [categoryResource, watchedResource, tagResource, goodResource, changingResource],
      authentication: [scheme],
      renderers: [jsonRenderer, browsable()],
    }) as never,
  api => {
    let [company, dairy, fish, foreign, secret, tea] = [0, 0, 0, 0, 0, 0]
    const send = async (method: string, url: string, json?: unknown) => {
      const response = await api().client.request(method, url, {
        headers: { 'x-company': String(company) },
        ...(json !== undefined && { json }),
      })
      return [response.status, response.text === '' ? undefined : response.json()] as [
        number,
        ReturnType<typeof response.json>,
      ]
    }
    const names = async (name: string, column = 'name') => (await api().rows(name)).map(row => row[column])

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['good_tags', 'goods', 'tags', 'categories', 'companies'])
          await kysely.deleteFrom(name).execute()
      })
      const [own, other] = await api().insert('companies', [{ name: 'own' }, { name: 'other' }])
      company = own!
      ;[dairy, fish, foreign] = (await api().insert('categories', [
        { company_id: own, name: 'Dairy' },
        { company_id: own, name: 'Fish', note: 'cold' },
        { company_id: other, name: 'Foreign' },
      ])) as [number, number, number]
      ;[secret, tea] = (await api().insert('tags', [
        { kind: 'secret', slug: 's' },
        { kind: 'drink', slug: 'tea' },
      ])) as [number, number]
    })

    const dairyShown = () => ({ id: dairy, name: 'Dairy', note: null })

    test('an object is selected by its key or by a unique value, and is not changed', async () => {
      for (const category of [
        { id: dairy },
        { id: dairy, name: 'x', note: 'y' },
        { name: 'Dairy' },
        { name: 'Dairy', note: 'y' },
      ]) {
        const [status, body] = await send('POST', '/goods/', { name: 'milk', category })
        assert.deepEqual([status, body.category, body.second, body.tags], [201, dairyShown(), null, []])
      }
      assert.deepEqual(await names('categories', 'note'), [null, 'cold', null])
    })

    test('an object that does not exist is created, with the values of the caller', async () => {
      const [status, body] = await send('POST', '/goods/', { name: 'milk', category: { name: 'Foreign', note: 'n' } })
      assert.deepEqual([status, body.category.name, body.category.note], [201, 'Foreign', 'n'])
      assert.deepEqual(await names('categories', 'company_id'), [company, company, company + 1, company])
      assert.deepEqual(await send('POST', '/goods/', { name: 'x', category: { note: 'n' } }), [
        400,
        { category: { name: ['This field is required.'] } },
      ])
      assert.deepEqual(await send('POST', '/goods/', { name: 'x' }), [400, { category: ['This field is required.'] }])
    })

    test('many objects of a body are found by few statements', async () => {
      const slugs = Array.from({ length: 400 }, (_, index) => ({ kind: 'many', slug: `s${index}` }))
      const ids = await api().insert('tags', slugs)
      const byKey = ids.map(id => ({ id }))
      const create = async (count: number) => {
        const start = statements.length
        const body = { name: 'x', category: { id: dairy }, tags: [...byKey.slice(0, count), ...slugs.slice(0, count)] }
        const [status, { tags }] = await send('POST', '/goods/', body)
        assert.deepEqual([status, tags.length], [201, count])
        return statements.length - start
      }
      const least = await create(1)
      const most = await create(400)
      assert.ok(most < least + 40, `${most} statements, and ${least} for few objects`)
    })

    test('an object of another tenant does not exist', async () => {
      const [status, body] = await send('POST', '/goods/', { name: 'x', category: { id: foreign } })
      assert.deepEqual(
        [status, body],
        [400, { category: { id: [`Invalid pk "${foreign}" - object does not exist.`] } }],
      )
      assert.deepEqual(
        await send('POST', '/goods/', { name: 'x', category: { id: dairy }, second: { name: 'Foreign' } }),
        [400, { second: { name: ['Object with name=Foreign does not exist.'] } }],
      )
    })

    test('without add, a body must say which object it means', async () => {
      const attempt = (second: unknown) => send('POST', '/goods/', { name: 'x', category: { id: dairy }, second })
      assert.deepEqual(await attempt({}), [400, { second: { id: ['This field is required.'] } }])
      assert.deepEqual(await attempt({ id: 'x' }), [400, { second: { id: ['A valid integer is required.'] } }])
      assert.deepEqual(await attempt({ name: ['x'] }), [400, { second: { name: ['Not a valid string.'] } }])
      assert.deepEqual(await attempt(7), [400, { second: ['Invalid data. Expected a dictionary, but got int.'] }])
      assert.equal((await attempt({ name: 'Fish' }))[1].second.id, fish)
    })

    test('a change selects another object, and null selects none', async () => {
      const [, { id }] = await send('POST', '/goods/', { name: 'milk', category: { id: dairy }, second: { id: fish } })
      const [status, body] = await send('PATCH', `/goods/${id}/`, { category: { name: 'Fish' }, second: null })
      assert.deepEqual([status, body.category.id, body.second], [200, fish, null])
      const [, created] = await send('PATCH', `/goods/${id}/`, { category: { name: 'New' } })
      assert.deepEqual([created.category.name, await names('categories')], ['New', ['Dairy', 'Fish', 'Foreign', 'New']])
      const [, kept] = await send('PATCH', `/goods/${id}/`, { name: 'cream' })
      assert.equal(kept.category.name, 'New')
    })

    test('with change, an object that is selected by its key gets the values of the body', async () => {
      const send2 = (method: string, good: object, path = '') => send(method, `/changing-goods/${path}`, good)
      const [status, body] = await send2('POST', { name: 'milk', category: { id: dairy, note: 'new' } })
      assert.deepEqual([status, body.category], [201, { id: dairy, name: 'Dairy', note: 'new' }])
      for (const [category, shown] of [
        [{ id: dairy }, { name: 'Dairy', note: 'new' }],
        [
          { name: 'Dairy', note: 'other' },
          { name: 'Dairy', note: 'new' },
        ],
        [
          { id: fish, name: 'Fishes' },
          { name: 'Fishes', note: 'cold' },
        ],
        [
          { name: 'Meat', note: 'red' },
          { name: 'Meat', note: 'red' },
        ],
      ] as const) {
        const [changed, { category: found }] = await send2('PATCH', { category }, `${body.id}/`)
        const { id, ...others } = found
        assert.deepEqual([changed, others], [200, shown], JSON.stringify(category))
      }
      const drinks = [
        { id: tea, slug: 'green-tea' },
        { kind: 'drink', slug: 'milk' },
      ]
      const [, { tags: listed }] = await send2('PATCH', { tags: drinks }, `${body.id}/`)
      assert.deepEqual(
        listed.map(({ slug }: { slug: string }) => slug),
        ['green-tea', 'milk'],
      )
      for (const [good, errors] of [
        [{ category: { id: dairy, name: 'Meat' } }, { category: { name: ['There is a category with this name.'] } }],
        [{ category: { id: dairy, name: '' } }, { category: { name: ['This field may not be blank.'] } }],
        [
          { category: { id: foreign, name: 'x' } },
          { category: { id: [`Invalid pk "${foreign}" - object does not exist.`] } },
        ],
        [
          {
            tags: [
              { id: tea, slug: 'a' },
              { id: tea, slug: 'b' },
            ],
          },
          { tags: [{}, { id: ['This key is given twice.'] }] },
        ],
        [{ tags: [{ id: tea, slug: '' }] }, { tags: [{ slug: ['This field may not be blank.'] }] }],
        [
          { second: { name: 'Nothing', note: 'x' } },
          { second: { name: ['Object with name=Nothing does not exist.'] } },
        ],
      ] as const)
        assert.deepEqual(await send2('PATCH', good, `${body.id}/`), [400, errors], JSON.stringify(good))
    })

    test('the permissions and hooks of a change apply to the selected object', async () => {
      const change = (second: object) =>
        send('POST', '/changing-goods/', { name: 'x', category: { id: dairy }, second })
      assert.deepEqual(await change({ id: fish, name: 'Meat' }), [400, { second: { name: ['Fish is no meat.'] } }])
      assert.equal((await change({ id: fish, note: 'locked' }))[0], 201)
      assert.equal((await change({ id: fish, note: 'open' }))[0], 403)
      assert.equal((await change({ id: fish }))[0], 201)
      assert.equal((await change({ name: 'Fish', note: 'open' }))[0], 201)
      assert.deepEqual(await names('categories', 'note'), [null, 'locked', null])
    })

    test('a change of two objects at once changes what both select', async () => {
      const ids = await Promise.all(
        ['a', 'b', 'c'].map(async name => (await send('POST', '/goods/', { name, category: { id: dairy } }))[1].id),
      )
      const written = await Promise.all(
        ids.map(id => send('PATCH', `/changing-goods/${id}/`, { category: { id: dairy, note: String(id) } })),
      )
      assert.deepEqual(
        written.map(([status]) => status),
        [200, 200, 200],
      )
      assert.ok(ids.map(String).includes(String((await names('categories', 'note'))[0])))
    })

    test('a list selects and creates objects of a join table', async () => {
      const [status, body] = await send('POST', '/goods/', {
        name: 'milk',
        category: { id: dairy },
        tags: [{ kind: 'drink', slug: 'tea' }, { kind: 'drink', slug: 'milk' }, { id: tea }],
      })
      assert.deepEqual([status, body.tags.map(({ slug }: { slug: string }) => slug)], [201, ['tea', 'milk']])
      const [, changed] = await send('PATCH', `/goods/${body.id}/`, { tags: [{ kind: 'food', slug: 'milk' }] })
      assert.deepEqual(
        changed.tags.map(({ kind }: { kind: string }) => kind),
        ['food'],
      )
      assert.deepEqual(await names('tags', 'slug'), ['s', 'tea', 'milk', 'milk'])
      const [, added] = await send('PATCH', `/goods/${body.id}/`, { more_tags: [{ kind: 'drink', slug: 'tea' }] })
      assert.equal(added.tags.length, 2)
      const [, emptied] = await send('PATCH', `/goods/${body.id}/`, { tags: [] })
      assert.deepEqual([emptied.tags, (await api().rows('tags')).length], [[], 4])
    })

    test('a form selects and creates, too', async () => {
      const response = await api().client.request('POST', '/goods/', {
        headers: { 'x-company': String(company) },
        form: {
          name: 'milk',
          'category.name': 'Dairy',
          'tags[0]kind': 'drink',
          'tags[0]slug': 'tea',
          'tags[1]kind': 'drink',
          'tags[1]slug': 'milk',
        },
      })
      const body = response.json()
      assert.deepEqual([response.status, body.category.id, body.tags.length], [201, dairy, 2])
      const page = await api().client.get(`/goods/${body.id}/`, {
        headers: { 'x-company': String(company), accept: 'text/html' },
      })
      for (const name of ['category.name', 'tags[0]_remove', 'tags[0]id', 'tags[2]slug', 'more_tags[0]slug'])
        assert.match(page.text, new RegExp(`name="${RegExp.escape(name)}"`), name)
    })

    test('a hidden object of a list cannot be selected, and keeps its place', async () => {
      const good = { name: 'milk', category: { id: dairy } }
      assert.deepEqual(await send('POST', '/goods/', { ...good, tags: [{ id: tea }, { id: secret }] }), [
        400,
        { tags: [{}, { id: [`Invalid pk "${secret}" - object does not exist.`] }] },
      ])
      assert.deepEqual(
        await send('POST', '/goods/', { ...good, more_tags: [{ kind: 'secret', slug: 's' }, { slug: 's' }] }),
        [
          400,
          {
            more_tags: [
              { kind: ['Object with kind, slug=secret, s does not exist.'] },
              { kind: ['This field is required.'] },
            ],
          },
        ],
      )
      const [, { id }] = await send('POST', '/goods/', { ...good, tags: [{ id: tea }] })
      await api().database.transaction(({ kysely }) =>
        kysely.insertInto('good_tags').values({ good_id: id, tag_id: secret }).execute(),
      )
      await send('PATCH', `/goods/${id}/`, { tags: [] })
      const links = await api().database.kysely.selectFrom('good_tags').selectAll().execute()
      assert.deepEqual(
        links.map(({ tag_id }) => tag_id),
        [secret],
      )
    })
  },
  { migrations: {}, owners: [schema], observe: statement => void statements.push(statement) },
)

suite('declarations', () => {
  const declare = (options: object) => () => nested({ of: tagResource, ...options } as never)
  test('objects that refer to this one cannot be selected', () => {
    for (const [options, message] of [
      [{ many: { reverse: 'x' }, writable: ['select'] }, /'select': an object that refers to this one belongs to it/],
      [{ one: { reverse: 'x' }, writable: ['select'] }, /'select': an object that refers to this one belongs to it/],
      [{ column: 'x', writable: ['select', 'remove'] }, /'select': .* remove 'remove'/],
      [{ many: joined, writable: ['select'], position: 'x' }, /'select': "position"/],
      [{ many: joined, writable: ['select'], nullable: true }, /'select': "nullable" is for/],
      [{ many: joined, writable: ['add'] }, /only objects that refer to this one/],
    ] as const)
      assert.throws(declare(options), message)
  })
})
