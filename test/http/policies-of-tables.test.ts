// What a declared table tells the policies and hooks of its resources: its owner, its conditions, and the values that its columns take.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import Fastify from 'fastify'
import {
  allowAny,
  and,
  authenticated,
  createApi,
  dateTime,
  integer,
  key,
  migrate,
  objectView,
  openDatabase,
  or,
  ownerOrReadOnly,
  resource,
  rowFilter,
  staff,
  text,
} from 'resource-api'
import { caller, owner, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const notes = table('notes', {
  columns: {
    id: key(),
    author: owner(integer()),
    title: text(),
    state: text({ default: 'open' }),
    due: dateTime({ nullable: true }),
  },
})
const plain = table('plain', { columns: { id: key(), title: text() } })
const schema = tables({ owner: 'notes', tables: [notes, plain] })

const show = ({ object }: { readonly object: object }) => ({ status: 200, body: { ...object } })
const noteResource = resource('notes', {
  table: notes,
  pagination: null,
  fields: notes.pick('id', 'title'),
  permissions: [or(staff, and(authenticated, ownerOrReadOnly()))],
  hookColumns: ['due'],
  prepare: ({ values }) => ({ due: values.title === 'bad' ? 'soon' : '2026-01-01T00:00:00Z' }),
  objectViews: {
    mine: objectView({
      columns: ['title'],
      permissions: [rowFilter({ author: caller('id') })],
      handlers: { GET: show },
    }),
    open: objectView({
      columns: ['title'],
      permissions: [allowAny],
      handlers: {
        GET: { permissions: [rowFilter({ state: 'open' })], handle: show },
        POST: { permissions: [ownerOrReadOnly()], handle: show },
      },
    }),
  },
})

onEachDatabase(
  () => ({ resources: [noteResource], authentication: [userScheme] }),
  api => {
    const send = async (user: 'ann' | 'bob' | 'sue', method: string, url: string, json?: object) =>
      (await api().client.request(method, url, { ...asUser(user), ...(json && { json }) })).status
    let id: number

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('notes').execute()
      })
      assert.equal(await send('ann', 'POST', '/notes/', { title: 'tea' }), 201)
      id = (await api().rows('notes'))[0]!.id as number
    })

    test('ownerOrReadOnly() finds the owner of the table', async () => {
      assert.equal(await send('bob', 'GET', `/notes/${id}/`), 200)
      assert.equal(await send('bob', 'PATCH', `/notes/${id}/`, { title: 'x' }), 403)
      assert.equal(await send('ann', 'PATCH', `/notes/${id}/`, { title: 'x' }), 200)
      assert.equal(await send('sue', 'PATCH', `/notes/${id}/`, { title: 'y' }), 200)
    })

    test('a view of an object and its methods may have conditions', async () => {
      assert.deepEqual(
        [await send('ann', 'GET', `/notes/${id}/mine/`), await send('bob', 'GET', `/notes/${id}/mine/`)],
        [200, 404],
      )
      assert.deepEqual(
        [await send('bob', 'GET', `/notes/${id}/open/`), await send('bob', 'POST', `/notes/${id}/open/`)],
        [200, 403],
      )
      assert.equal(await send('ann', 'POST', `/notes/${id}/open/`), 200)
      await api().database.transaction(async ({ kysely }) => {
        await kysely.updateTable('notes').set({ state: 'closed' }).execute()
      })
      assert.equal(await send('ann', 'GET', `/notes/${id}/open/`), 404)
    })

    test('a hook cannot write a value that the column of the table does not take', async () => {
      assert.equal(await send('ann', 'POST', '/notes/', { title: 'bad' }), 500)
      assert.equal((await api().rows('notes')).length, 1)
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('mistakes', () => {
  test('a table without an owner', () => {
    assert.throws(
      () => resource('plain', { table: plain, fields: plain.pick('id'), permissions: [ownerOrReadOnly()] }),
      {
        message:
          'resource "plain": permissions: the table "plain" has no column owner(): name the column, as in ownerOrReadOnly("author_id")',
      },
    )
  })

  test('a resource whose table is only named', () => {
    assert.throws(
      () => resource('notes', { table: 'notes', fields: { id: key() }, permissions: [ownerOrReadOnly()] }),
      {
        message:
          'resource "notes": permissions: it needs the declared table of the resource: write table: books, with a table of table()',
      },
    )
  })

  test('a permission of an API', async () => {
    const database = openDatabase('sqlite::memory:')
    await migrate(database, [schema])
    const resources = [resource('notes', { table: notes, fields: notes.pick('id', 'title') })]
    await assert.rejects(
      async () =>
        await Fastify().register(createApi({ database, resources, permissions: [or(staff, ownerOrReadOnly())] })),
      {
        message:
          'ownerOrReadOnly(): without a column, it is for a resource with a declared table, its actions and its views: name the column for others',
      },
    )
  })
})
