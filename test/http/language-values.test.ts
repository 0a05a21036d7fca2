// Values, filters and orders by the language of the request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { computed, createContext, filter, german, key, pageNumber, related, resource, text } from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const groupTable = table('groups', {
  columns: {
    id: key(),
    name_fi: text({ nullable: true }),
    name_sv: text({ nullable: true }),
    name_de: text({ nullable: true }),
  },
})
const memberTable = table('members', { columns: { id: key(), group: reference('groups') } })
const schema = tables({ owner: 'languages', tables: [groupTable, memberTable] })

const nameNow = computed(
  text({ nullable: true }),
  ({ row, language }) =>
    sql`case ${language} when 'sv' then ${row.name_sv} when 'de' then ${row.name_de} else ${row.name_fi} end`,
)
const groups = resource('groups', {
  table: groupTable,
  fields: {
    id: key(),
    name: nameNow,
    names: computed({
      columns: ['name_fi', 'name_sv'],
      value: ({ name_fi: fi, name_sv: sv }) => ({ fi, sv }),
      queriedAs: nameNow,
    }),
  },
  ordering: ['names'],
  orderingFields: ['names', 'name'],
  searchFields: ['names'],
  filters: {
    names: ['icontains', 'exact'],
    asked: filter(text(), ({ language, value }) => sql`coalesce(${language}, 'none') = ${value}`),
  },
  actions: ['list', 'retrieve'],
})
const members = resource('members', {
  table: memberTable,
  fields: { id: key(), group: related(groups, { shows: ['name'] }) },
})
const plain = resource('plain', { table: groupTable, fields: { id: key() } })

onEachDatabase(
  () => ({
    resources: [groups, members, plain],
    pagination: pageNumber({ pageSize: 10 }),
    languages: { de: german, fi: {}, sv: {} },
  }),
  api => {
    const get = async (url: string, language?: string) => {
      const response = await api().client.get(
        url,
        language === undefined ? {} : { headers: { 'accept-language': language } },
      )
      assert.equal(response.status, 200, response.text)
      return response
    }
    const names = async (url: string, language?: string) =>
      (await get(url, language)).json().results.map(({ name }: { name: string | null }) => name)

    test('values, orders, searches and filters follow the language', async () => {
      await api().insert('groups', [
        { name_fi: 'b', name_sv: 'x', name_de: null },
        { name_fi: 'a', name_sv: 'y', name_de: 'Ü' },
        { name_fi: 'c', name_sv: null, name_de: 'A' },
      ])
      await api().insert('members', [{ group_id: 1 }])
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(await names('/groups/'), ['a', 'b', 'c'])
        assert.deepEqual(await names('/groups/', 'sv'), ['x', 'y', null])
        assert.deepEqual(await names('/groups/', 'de-AT, sv;q=0.5'), ['A', 'Ü', null])
        assert.deepEqual(await names('/groups/', 'en'), ['a', 'b', 'c'])
        assert.deepEqual(await names('/groups/?ordering=-names', 'fi'), ['c', 'b', 'a'])
        assert.deepEqual(await names('/groups/?ordering=-name', 'sv'), [null, 'y', 'x'])
        assert.deepEqual(await names('/groups/?search=Y', 'sv'), ['y'])
        assert.deepEqual(await names('/groups/?search=y', 'fi'), [])
        assert.deepEqual(await names('/groups/?names=x', 'sv'), ['x'])
        assert.deepEqual(await names('/groups/?names__icontains=B'), ['b'])
        assert.equal((await get('/groups/1/', 'sv')).json().name, 'x')
        assert.deepEqual((await get('/groups/1/', 'sv')).json().names, { fi: 'b', sv: 'x' })
        assert.deepEqual((await get('/members/1/', 'sv')).json().group, { name: 'x' })
      }
    })

    test('a request that prefers no language of the API has none', async () => {
      const isAsked = async (value: string, language?: string) =>
        (await get(`/groups/?asked=${value}`, language)).json().count === 3
      for (const language of [undefined, '*', 'xx', ';;', 'en;q=0, xx', `x${'y'.repeat(9000)}`])
        assert.ok(await isAsked('none', language), language)
      for (const [value, language] of [
        ['en', 'en-GB'],
        ['de', 'xx, DE-at'],
        ['sv', 'de;q=0.1, sv'],
      ] as const)
        assert.ok(await isAsked(value, language), language)
    })

    test('such responses vary by the language, and others do not', async () => {
      for (const url of ['/groups/', '/groups/1/', '/members/'])
        assert.match(String((await get(url)).headers.vary), /\bAccept-Language\b/, url)
      assert.doesNotMatch(String((await get('/plain/')).headers.vary), /Accept-Language/)
      const { headers } = await get('/groups/1/', 'sv')
      const other = await api().client.get('/groups/1/', {
        headers: { 'accept-language': 'fi', 'if-none-match': String(headers.etag) },
      })
      assert.equal(other.status, 200)
    })

    test('a command has no language', async () => {
      const context = createContext(api().app, {
        user: { isAuthenticated: true, id: 1, username: 'x', isStaff: false },
      })
      assert.match(JSON.stringify(await members.create({ group: 2 }, context)), /"name":"a"/)
    })
  },
  { migrations: {}, owners: [schema] as never },
)

test('queriedAs takes SQL', () => {
  assert.throws(() => computed({ columns: ['name_fi'], value: () => 1, queriedAs: text() as never }), {
    message: 'computed(): queriedAs: give a computed field in SQL, such as computed(text(), ({ row }) => row.title)',
  })
})
