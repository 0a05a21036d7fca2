// Filters by fields that not every caller sees, also through relations, and with names on the wire.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { boolean, filter, type Identity, key, related, resource, text } from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const peopleOptions = {
  table: 'authors',
  wire: 'camelCase',
  fields: {
    id: key(),
    full_name: text({ column: 'name', default: '-', visible: ({ user }: { readonly user: Identity }) => user.isStaff }),
  },
  pagination: null,
  filters: { named: filter(text(), ({ row, value }) => sql`${row.id} > 0 and ${row.name} = ${value}`) },
} as const

const people = resource('people', peopleOptions)

const options = {
  table: 'books',
  actions: ['list'],
  pagination: null,
  wire: 'camelCase',
  fields: { id: key(), in_print: boolean(), written_by: related(people, { column: 'author_id', nullable: true }) },
  filters: { in_print: true, 'written_by.full_name': ['icontains'] },
} as const

const strictPeople = resource('strict-people', { ...peopleOptions, strict: true })

const novels = resource('novels', options)
const strict = resource('strict', { ...options, strict: true })

onEachDatabase(
  () => ({ resources: [people, strictPeople, novels, strict], authentication: [userScheme] }),
  api => {
    let keys: readonly number[]
    before(async () => {
      const { insert, database } = api()
      const [jane] = await insert('authors', [{ name: 'Jane' }])
      const in_print = database.dialect.name === 'sqlite' ? 1 : true
      keys = await insert('books', [
        { ...bookRow, in_print, author_id: jane },
        { ...bookRow, in_print, author_id: null },
      ])
    })

    const find = async (path: string, caller: 'sue' | 'nobody') =>
      api().client.get(path, caller === 'nobody' ? {} : asUser(caller))
    const findKeys = async (path: string, caller: 'sue' | 'nobody') =>
      (await find(path, caller)).json().map(({ id }: { id: number }) => id)

    test('callers who see all fields of the path can filter by it', async () => {
      assert.deepEqual(await findKeys('/novels/?writtenBy__fullName__icontains=JAN', 'sue'), [keys[0]])
      assert.deepEqual(await findKeys('/strict/?writtenBy__fullName__icontains=x&inPrint=true', 'sue'), [])
    })

    test('for other callers, the parameter does not exist', async () => {
      for (const value of ['JAN', 'x', '%00'])
        assert.deepEqual(await findKeys(`/novels/?writtenBy__fullName__icontains=${value}`, 'nobody'), keys)
      const refused = await find('/strict/?writtenBy__fullName__icontains=JAN', 'nobody')
      assert.deepEqual(
        [refused.status, refused.json()],
        [400, { writtenBy__fullName__icontains: ['There is no such parameter.'] }],
      )
      assert.deepEqual(await findKeys('/strict/?inPrint=true', 'nobody'), keys)
    })

    test('a filter with its own SQL exists only for callers who see the fields of its columns', async () => {
      const count = async (path: string, caller: 'sue' | 'nobody') => (await findKeys(path, caller)).length
      assert.deepEqual([await count('/people/?named=Jane', 'sue'), await count('/people/?named=x', 'sue')], [1, 0])
      assert.equal(await count('/people/?named=x', 'nobody'), 1)
      const refused = await find('/strict-people/?named=Jane', 'nobody')
      assert.deepEqual([refused.status, refused.json()], [400, { named: ['There is no such parameter.'] }])
      const describe = async (caller: 'sue' | 'nobody') => {
        const response = await api().client.request('OPTIONS', '/people/', caller === 'nobody' ? {} : asUser(caller))
        return response.json().filters
      }
      assert.equal((await describe('nobody'))?.named, undefined)
      assert.equal((await describe('sue')).named.label, 'Named')
    })
  },
)
