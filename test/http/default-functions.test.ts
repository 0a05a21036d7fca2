// Defaults that are functions of the caller and the time.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  dateTime,
  decimal,
  integer,
  key,
  list,
  nested,
  related,
  resource,
  text,
  ValidationError,
  view,
} from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const teamTable = table('teams', {
  columns: { id: key(), name: text({ default: ({ user }) => `team of ${user.id}` }) },
})
const noteTable = table('notes', {
  columns: {
    id: key(),
    title: text({ default: '', blank: true }),
    author: text({ max: 20, default: ({ user }) => user.username || 'anonymous' }),
    written: dateTime({ default: ({ now }) => now }),
    price: decimal({ maxDigits: 5, decimalPlaces: 2, default: () => '1.5' }),
    seen_by: text({ default: ({ user }) => user.username || 'none', visible: ({ user }) => user.isStaff }),
    tags: list({ of: text(), default: ({ user }) => [user.username || 'none'] }),
    size: integer({ default: () => result() as number }),
    code: text({ max: 30, unique: 'Taken.', default: ({ now }) => nextCode ?? now }),
    team: reference('teams', { nullable: true }),
  },
})
const schema = tables({ owner: 'notes', tables: [teamTable, noteTable] })

let result: () => unknown
let nextCode: string | undefined
let time = Date.UTC(2026, 0, 1)

const notes = resource('notes', {
  table: noteTable,
  bulk: 'atomic',
  fields: {
    ...noteTable.pick('id', 'title', 'author', 'written', 'price', 'seen_by', 'tags', 'size', 'code'),
    team: related('teams', { nullable: true, default: ({ user }) => 1000 + Number(user.id) }),
  },
})
const teams = resource('teams', {
  table: teamTable,
  fields: {
    ...teamTable.pick('id', 'name'),
    notes: nested({ of: notes, many: { reverse: 'team_id' }, writable: true, fields: ['id', 'title', 'author'] }),
  },
})

const echo = view({
  name: 'Echo',
  query: { size: integer({ default: () => result() as number }) },
  body: { word: text({ default: ({ user }) => user.username || 'none' }), at: dateTime({ default: ({ now }) => now }) },
  response: { word: text(), at: dateTime(), size: integer() },
  handlers: { POST: ({ body, query }) => ({ word: body.word, at: body.at, size: query.size }) },
})

onEachDatabase(
  () => ({
    resources: [teams, notes],
    views: { '/echo/': echo },
    authentication: [userScheme],
    permissions: [],
    clock: () => new Date(time),
  }),
  api => {
    const post = (url: string, json: unknown, as: object = asUser('ann')) => api().client.post(url, { json, ...as })

    beforeEach(async () => {
      result = () => 3
      nextCode = undefined
      time += 1000
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['notes', 'teams']) await kysely.deleteFrom(name).execute()
        for (const id of [1001, 1002, 1003]) await kysely.insertInto('teams').values({ id, name: 'a' }).execute()
      })
    })

    test('a new object has the values for its caller and the time, unless the body gives them', async () => {
      const now = new Date(time).toISOString().replace('.000Z', 'Z')
      const { id: _, ...shown } = (await post('/notes/', {})).json()
      assert.equal(new Date(shown.written).getTime(), time)
      assert.deepEqual(
        { ...shown, written: now, code: '' },
        { title: '', author: 'ann', written: now, price: '1.50', tags: ['ann'], size: 3, code: '', team: 1001 },
      )
      const { author, tags, size, team } = (
        await post('/notes/', { author: 'x', tags: [], size: 7, code: 'a', team: null }, asUser('bob'))
      ).json()
      assert.deepEqual({ author, tags, size, team }, { author: 'x', tags: [], size: 7, team: null })
      assert.deepEqual(
        (await api().rows('notes')).map(({ seen_by }) => seen_by),
        ['ann', 'bob'],
      )
    })

    test('an update keeps the values, with PUT too', async () => {
      const { id } = (await post('/notes/', {})).json()
      const url = `/notes/${id}/`
      result = () => 9
      for (const method of ['PUT', 'PATCH']) {
        const { author, size } = (await api().client.request(method, url, { json: {}, ...asUser('bob') })).json()
        assert.deepEqual({ author, size }, { author: 'ann', size: 3 }, method)
      }
    })

    test('objects of one request, and children, get them too', async () => {
      const many = (await post('/notes/', [{ code: 'a' }, { code: 'b', author: 'x' }], asUser('bob'))).json()
      assert.deepEqual(
        many.map(({ author }: { author: string }) => author),
        ['bob', 'x'],
      )
      const response = await post('/teams/', { notes: [{ title: 'child' }] })
      assert.equal(response.status, 201, response.text)
      const { name, notes: children } = response.json()
      assert.deepEqual([name, children[0].author], ['team of 1', 'ann'])
    })

    test('a result that the field refuses is 500, and nothing is stored', async () => {
      for (const wrong of [undefined, null, 'many', Promise.resolve(5), 2 ** 40, {}]) {
        result = () => wrong
        assert.equal((await post('/notes/', {})).status, 500)
        assert.equal((await post('/echo/', {})).status, 500)
      }
      assert.deepEqual(await api().rows('notes'), [])
    })

    test('a function may refuse the request', async () => {
      result = () => {
        throw new ValidationError('Give a size.')
      }
      const response = await post('/notes/', {})
      assert.deepEqual([response.status, response.json()], [400, { size: ['Give a size.'] }])
    })

    test('a result that is taken, or that names no object, is 400 at its field', async () => {
      nextCode = 'a'
      assert.equal((await post('/notes/', {})).status, 201)
      assert.deepEqual((await post('/notes/', {})).json(), { code: ['Taken.'] })
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('teams').where('id', '=', 1002).execute()
      })
      assert.deepEqual((await post('/notes/', { code: 'b' }, asUser('bob'))).json(), {
        team: ['Invalid pk "1002" - object does not exist.'],
      })
    })

    test('a view has them in its body and its query', async () => {
      const { word, at, size } = (await post('/echo/', {})).json()
      assert.deepEqual([word, new Date(at).getTime(), size], ['ann', time, 3])
    })

    test('descriptions show neither a requirement nor a default', async () => {
      const { size, author } = (await api().client.request('OPTIONS', '/notes/', asUser('ann'))).json().actions.POST
      assert.deepEqual([size.required, author.required, 'default' in size], [false, false, false])
    })
  },
  { migrations: {}, owners: [schema] },
)
