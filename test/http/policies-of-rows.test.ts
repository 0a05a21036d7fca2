// Rights that are rows: conditions as permissions, and permissions that ask the database.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  computed,
  forTypes,
  type Identity,
  isSafe,
  key,
  listView,
  nested,
  not,
  or,
  type Permission,
  type Representation,
  readOnly,
  related,
  rowFilter,
  staff,
  text,
} from 'resource-api'
import { caller, reference, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, type people, userScheme } from '../support/own-api.ts'

const teams = table('teams', { columns: { id: key(), name: text(), code: text({ nullable: true }) } })
const members = table('members', {
  columns: { id: key(), team: reference('teams'), member: text(), role: text() },
})
const papers = table('papers', {
  columns: {
    id: key(),
    team: reference('teams', { relatedName: 'papers' }),
    title: text(),
    draft: text({ nullable: true }),
  },
})
const schema = tables({ owner: 'papers', tables: [teams, members, papers] })
const { exists, resource, rowFilter: typedFilter } = forTypes<Identity, typeof schema>()

const ofEditors = typedFilter(
  { 'team.members': { member: caller('username'), role: 'editor' } },
  { refuses: true, allowsSafe: true, message: 'You do not edit for this team.', code: 'no_editor' },
)
// @ts-expect-error there is no such column
typedFilter({ 'team.members': { membr: caller('username') } }, { refuses: true })

// Only members of any team may create teams.
const anyMember: Permission = {
  async allows({ user, method, view }) {
    if (isSafe(method)) return true
    const { kysely } = view.connection()
    const found = kysely.selectFrom('members').select('id').where('member', '=', user.username)
    return (await found.executeTakeFirst()) !== undefined
  },
}

const teamCode = text({ nullable: true, visible: { members: { member: caller('username') } } })
const teamResource = resource('teams', {
  table: teams,
  pagination: null,
  fields: { ...teams.pick('id', 'name'), code: readOnly(teamCode) },
  permissions: [authenticated, anyMember],
  // The rows that the transaction has written count.
  async afterSave({ connection, key: team, given, ...context }) {
    if (!given.name?.startsWith('new ')) return
    const { username } = context.user
    await connection.kysely.insertInto('members').values({ team_id: team, member: username, role: 'editor' }).execute()
    await paperResource.create({ team, title: 'first' }, { ...context, connection })
  },
})
const isEditor = { 'team.members': { member: caller('username'), role: 'editor' } } as const
const fields = { ...papers.pick('id', 'title'), team: related('teams') }
const paperResource = resource('papers', {
  table: papers,
  pagination: null,
  bulk: 'atomic',
  fields: {
    ...fields,
    may_edit: exists(isEditor),
    draft: readOnly(text({ nullable: true, visible: isEditor })),
    reads: nested({ of: 'teams', column: 'team_id', fields: ['id', 'code'] }),
  },
  filters: { may_edit: true },
  permissions: [authenticated, or(staff, ofEditors)],
  lists: { others: { permissions: [authenticated], rows: { not: { title: 'x' } } } },
})
const secretResource = resource('secrets', {
  table: papers,
  pagination: null,
  fields,
  permissions: [
    rowFilter(
      { 'team.members': { member: caller('username') } },
      { refuses: true, message: 'Your team has no part in this.' },
    ),
  ],
})
const openResource = resource('open-papers', {
  table: papers,
  pagination: null,
  fields,
  permissions: [not(ofEditors)],
})

onEachDatabase(
  () => ({ resources: [teamResource, paperResource, secretResource, openResource], authentication: [userScheme] }),
  api => {
    const send = (user: keyof typeof people, method: string, url: string, json?: object) =>
      api().client.request(method, url, { ...asUser(user), ...(json && { json }) })
    let [red, blue] = [0, 0]
    let id = 0

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['papers', 'members', 'teams']) await kysely.deleteFrom(name).execute()
      })
      ;[red, blue] = (await api().insert('teams', [{ name: 'red' }, { name: 'blue' }])) as [number, number]
      await api().insert('members', [
        { team_id: red, member: 'ann', role: 'editor' },
        { team_id: blue, member: 'ann', role: 'reader' },
        { team_id: blue, member: 'bob', role: 'editor' },
      ])
      id = (await send('ann', 'POST', '/papers/', { team: red, title: 'tea' })).json().id
    })

    const refusal = { detail: 'You do not have permission to perform this action.' }
    const titles = async () => (await api().rows('papers')).map(({ title }) => title).toSorted()

    test('a condition decides about writes of an object, and about what they leave', async () => {
      const attempts = [
        await send('bob', 'PATCH', `/papers/${id}/`, { title: 'x' }),
        await send('bob', 'DELETE', `/papers/${id}/`),
        await send('bob', 'POST', '/papers/', { team: red, title: 'x' }),
        await send('ann', 'PATCH', `/papers/${id}/`, { team: blue }),
        await send('ann', 'POST', '/papers/', { team: blue, title: 'x' }),
      ]
      assert.deepEqual(
        attempts.map(({ status, json }) => [status, json()]),
        attempts.map(() => [403, refusal]),
      )
      assert.deepEqual(await titles(), ['tea'])
      assert.equal((await send('bob', 'GET', `/papers/${id}/`)).status, 200)
      assert.equal((await send('ann', 'PATCH', `/papers/${id}/`, { title: 'mate' })).status, 200)
      assert.equal((await send('sue', 'PATCH', `/papers/${id}/`, { team: blue })).status, 200)
      assert.equal((await send('ann', 'PATCH', `/papers/${id}/`, { title: 'x' })).status, 403)
      assert.equal((await send('bob', 'DELETE', `/papers/${id}/`)).status, 204)
    })

    test('the other checks of a body come first', async () => {
      const wrong = await send('ann', 'POST', '/papers/', { team: 0, title: '' })
      assert.deepEqual([wrong.status, Object.keys(wrong.json())], [400, ['title', 'team']])
      assert.equal((await api().client.post('/papers/', { json: { team: red, title: 'x' } })).status, 401)
    })

    test('all items of an array must be allowed', async () => {
      const items = [
        { team: red, title: 'x' },
        { team: blue, title: 'x' },
      ]
      const refused = await send('ann', 'POST', '/papers/', items)
      assert.equal(refused.status, 403)
      assert.deepEqual(await titles(), ['tea'])
      assert.equal((await send('ann', 'PATCH', '/papers/', [{ id, team: blue }])).status, 403)
      assert.equal((await send('ann', 'PATCH', '/papers/', [{ id, title: 'mate' }])).status, 200)
      assert.equal((await send('bob', 'DELETE', '/papers/', [id])).status, 403)
    })

    test('a field shows whether a condition holds', async () => {
      for (const [user, shown] of [
        ['ann', true],
        ['bob', false],
      ] as const) {
        assert.equal((await send(user, 'GET', `/papers/${id}/`)).json().may_edit, shown)
        assert.equal((await send(user, 'GET', '/papers/?may_edit=true')).json().length, Number(shown))
      }
      assert.throws(
        () => resource('papers', { table: papers, fields: { may: exists({ titel: 'x' } as never) } }),
        /field "may": table "papers": there is no column "titel"/,
      )
    })

    test('some objects show a field, and others lack it', async () => {
      await api().database.transaction(async ({ kysely }) => {
        await kysely.updateTable('papers').set({ draft: 'secret' }).execute()
        await kysely.updateTable('teams').set({ code: 'c' }).where('id', '=', red).execute()
      })
      const other = (await send('bob', 'POST', '/papers/', { team: blue, title: 'mate', draft: 'ignored' })).json()
      assert.equal(other.draft, null)
      const list = (await send('ann', 'GET', '/papers/')).json()
      assert.deepEqual(
        list.map((paper: { draft?: string; reads: object }) => [paper.draft, paper.reads]),
        [
          ['secret', { id: red, code: 'c' }],
          [undefined, { id: blue, code: null }],
        ],
      )
      assert.ok(!Object.hasOwn(list[1], 'draft'))
      const shown = (await send('bob', 'GET', `/papers/${id}/`)).json()
      assert.deepEqual([Object.hasOwn(shown, 'draft'), shown.reads], [false, { id: red }])
      const type: Representation<typeof paperResource>['draft'] = undefined
      assert.equal(type, undefined)
    })

    test('without allowsSafe, an object cannot be read', async () => {
      assert.equal((await send('ann', 'GET', `/secrets/${id}/`)).status, 200)
      const refused = await send('bob', 'GET', `/secrets/${id}/`)
      assert.deepEqual([refused.status, refused.json()], [403, { detail: 'Your team has no part in this.' }])
      assert.equal((await send('bob', 'GET', '/secrets/')).json().length, 1)
      assert.equal((await api().client.get(`/secrets/${id}/`)).status, 401)
    })

    test('not() turns the condition around', async () => {
      assert.equal((await send('bob', 'PATCH', `/open-papers/${id}/`, { title: 'x' })).status, 200)
      assert.equal((await send('ann', 'PATCH', `/open-papers/${id}/`, { title: 'y' })).status, 403)
    })

    test('a permission asks the database', async () => {
      assert.equal((await send('ann', 'POST', '/teams/', { name: 'green' })).status, 201)
      assert.equal((await send('sue', 'POST', '/teams/', { name: 'green' })).status, 403)
      assert.equal((await send('sue', 'GET', '/teams/')).status, 200)
    })

    test('inside a transaction, permissions see its rows', async () => {
      assert.equal((await send('ann', 'POST', '/teams/', { name: 'new team' })).status, 201)
      assert.deepEqual(await titles(), ['first', 'tea'])
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('declarations', () => {
  test('a field that only some objects show is read-only, and nothing else reveals it', () => {
    const declare =
      (draft: object, options: object = {}) =>
      () =>
        resource('papers', { table: papers, fields: { ...fields, draft }, ...options } as never)
    const hidden = text({ nullable: true, visible: isEditor })
    assert.throws(declare(related(teamResource, { visible: isEditor, column: 'team_id' } as never)), /visible/)
    assert.throws(declare(readOnly(text({ visible: { titel: 'x' } }))), /there is no column "titel"/)
    assert.throws(declare(readOnly(hidden), { filters: { draft: true } }), /draft/)
    assert.throws(declare(readOnly(hidden), { orderingFields: ['draft'] }), /draft/)
    assert.throws(declare(readOnly(hidden), { searchFields: ['draft'] }), /draft/)
    assert.throws(declare(readOnly(hidden), { objectName: 'draft' }), /objectName: field "draft" is not visible/)
    assert.throws(declare(readOnly(hidden), { uniqueTogether: [['draft', 'title']] }), /draft/)
    const queried = computed({
      columns: ['draft'],
      visible: isEditor,
      value: ({ draft }: { readonly draft: unknown }) => draft,
      queriedAs: computed(text({ nullable: true }), ({ row }) => sql`${row.draft}`),
    } as never)
    for (const options of [{ filters: { draft: true } }, { orderingFields: ['draft'] }, { searchFields: ['draft'] }])
      assert.throws(declare(queried as never, options), /draft/)
    const view = listView({ response: { draft: readOnly(hidden) }, handlers: { GET: () => ({}) } } as never)
    assert.throws(
      declare(readOnly(text()), { listViews: { drafts: view } }),
      /visible: a condition is for the fields of a resource/,
    )
  })

  test('a condition needs a declared table, and its options belong to a refusal', () => {
    assert.throws(() => rowFilter(() => ({}) as never, { refuses: true }), /"refuses" is for a condition without SQL/)
    assert.throws(
      () => rowFilter({ title: 'x' }, { message: 'No.' }),
      /"message" is for a refusal: write refuses: true/,
    )
    const wrong = rowFilter({ titel: 'x' }, { refuses: true })
    assert.throws(
      () => resource('papers', { table: papers, fields, permissions: [wrong] }),
      /permissions: table "papers": there is no column "titel": write "title"/,
    )
  })
})
