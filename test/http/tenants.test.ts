// Tables whose rows belong to tenants: those of another tenant do not exist, whatever a caller sends.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import {
  allowAny,
  forTypes,
  type Identity,
  integer,
  key,
  nested,
  objectView,
  pageNumber,
  readOnly,
  related,
  text,
  via,
} from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { count, exists, latest, owner, reference, table, tables, tenant, value, where } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const organizations = table('organizations', { columns: { id: key(), name: text() } })
const folders = table('folders', {
  columns: {
    id: key(),
    organization: tenant('organizations', { all: 'isStaff' }),
    name: text({ unique: 'There is a folder with this name.' }),
    code: text({ nullable: true }),
    place: integer({ default: 0 }),
  },
  unique: [['code', 'place']],
})
const notes = table('notes', {
  columns: {
    id: key(),
    organization: tenant('organizations', { all: 'isStaff', column: 'org', caller: 'organization_id' }),
    folder: reference('folders', { onDelete: 'cascade' }),
    author: owner(integer()),
    title: text(),
  },
  unique: [['author', 'title']],
})
// The tenant has no table, and its key follows from the caller by a function.
const marks = table('marks', {
  columns: {
    id: key(),
    company: tenant(text({ max: 20 }), { caller: (user: Member) => user.company?.code }),
    text: text({ unique: 'taken' }),
  },
})
// A label may have no tenant.
const labels = table('labels', {
  columns: {
    id: key(),
    organization: tenant('organizations', { nullable: true, all: 'isStaff', onDelete: 'set null' }),
    name: text({ unique: 'taken' }),
    kind: text({ default: 'plain' }),
    place: integer({ nullable: true }),
  },
  unique: [['kind', 'place']],
})
const schema = tables({ owner: 'notes', tables: [organizations, folders, notes, marks, labels] })

interface Member extends Identity {
  readonly organization_id?: number | string
  readonly company?: { readonly code: string }
}

const { resource } = forTypes<Member, typeof schema>()

const ann: Member = {
  isAuthenticated: true,
  id: 1,
  username: 'ann',
  isStaff: false,
  organization_id: 1,
  company: { code: 'a' },
}
const members: Readonly<Record<string, Member>> = {
  ann,
  amy: { ...ann, id: 4, username: 'amy' },
  bob: { ...ann, id: 2, username: 'bob', organization_id: 2, company: { code: 'b' } },
  nil: { isAuthenticated: true, id: 3, username: 'nil', isStaff: false },
  odd: { ...ann, id: 6, username: 'odd', organization_id: '1' },
  sue: { isAuthenticated: true, id: 5, username: 'sue', isStaff: true },
}
const scheme: Scheme<Member> & { challenge: string } = {
  name: 'member',
  challenge: 'Member',
  varyOn: ['x-user'],
  authenticate({ headers }: { headers: Record<string, unknown> }) {
    const name = headers['x-user'] as string | undefined
    if (name === undefined) return skip
    return members[name] ? success(members[name], null) : failure('Nobody.')
  },
}

const noteResource = resource('notes', {
  table: notes,
  pagination: null,
  bulk: 'atomic',
  fields: {
    ...notes.pick('id', 'title'),
    folder: related('folders'),
    name: text({ source: via('folder_id', 'folders', 'name') }),
  },
  filters: { folder: true, 'folder.name': true, inside: where({ 'folder.name': value(text()) }) },
  orderingFields: ['folder.name'],
  searchFields: ['folder.name'],
  expandableFields: ['folder'],
  nestedUnder: [{ parent: 'folders', field: 'folder' }],
  objectViews: {
    look: objectView({ columns: ['title'], handlers: { GET: ({ object }) => ({ status: 200, body: object }) } }),
  },
})
const folderResource = resource('folders', {
  table: folders,
  pagination: pageNumber({ pageSize: 10 }),
  ordering: ['id'],
  bulk: 'each',
  fields: {
    ...folders.pick('id', 'name', 'code', 'place'),
    notes: nested({ of: 'notes', many: { reverse: 'folder_id' }, fields: ['id', 'title'], writable: true }),
    count: count('notes'),
    filled: exists('notes', { title: 'tea' }),
    newest: latest(text(), 'notes', '-id', 'title'),
  },
})
const organizationResource = resource('organizations', {
  table: organizations,
  pagination: null,
  fields: { ...organizations.pick('id', 'name'), folders: count('folders') },
})
const below = resource('below', {
  table: folders,
  pagination: null,
  fields: { ...folders.pick('id', 'name'), organization: readOnly(related('organizations')) },
  nestedUnder: [{ parent: 'organizations', column: 'organization_id' }],
})
const labelResource = resource('labels', {
  table: labels,
  pagination: null,
  ordering: ['id'],
  bulk: 'atomic',
  fields: labels.pick('id', 'name', 'kind', 'place'),
})
const markResource = resource('marks', { table: marks, pagination: null, fields: marks.pick('id', 'text') })

onEachDatabase<Member>(
  () => ({
    resources: [noteResource, folderResource, organizationResource, below, markResource, labelResource],
    authentication: [scheme],
    permissions: [allowAny],
  }),
  api => {
    const send = (user: string | undefined, method: string, url: string, json?: unknown, headers = {}) =>
      api().client.request(method, url, {
        ...(json === undefined ? {} : { json }),
        headers: { ...headers, ...(user && { 'x-user': user }) },
      })
    const get = async (user: string | undefined, url: string) => {
      const response = await send(user, 'GET', url)
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    const create = async (user: string, url: string, json: object) => {
      const response = await send(user, 'POST', url, json)
      assert.equal(response.status, 201, response.text)
      return response.json().id as number
    }
    const refuse = async (user: string | undefined, method: string, url: string, json?: unknown) => {
      const { status, text: body } = await send(user, method, url, json)
      return [status, body === '' ? '' : JSON.parse(body)]
    }
    let mine: number
    let theirs: number
    let theirNote: number

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['labels', 'marks', 'notes', 'folders', 'organizations'])
          await kysely.deleteFrom(name).execute()
        await kysely
          .insertInto('organizations')
          .values([
            { id: 1, name: 'one' },
            { id: 2, name: 'two' },
          ])
          .execute()
      })
      mine = await create('ann', '/folders/', { name: 'a' })
      theirs = await create('bob', '/folders/', { name: 'b', notes: [{ title: 'tea' }] })
      theirNote = (await get('bob', '/notes/'))[0].id
    })

    test('a create and its children belong to the tenant of the caller', async () => {
      const rows = await api().rows('folders')
      assert.deepEqual(
        rows.map(({ id, organization_id }) => [id, organization_id]),
        [
          [mine, 1],
          [theirs, 2],
        ],
      )
      assert.deepEqual(
        (await api().rows('notes')).map(({ org, author_id }) => [org, author_id]),
        [[2, 2]],
      )
    })

    test('a body cannot set the tenant', async () => {
      for (const body of [{ organization: 2 }, { organization_id: 2 }, { org: 2 }]) {
        const id = await create('ann', '/folders/', { name: JSON.stringify(body), ...body })
        assert.equal((await send('ann', 'PATCH', `/folders/${id}/`, body)).status, 200)
        const row = (await api().rows('folders')).find(each => each.id === id)
        assert.equal(row!.organization_id, 1)
      }
    })

    test('the rows of another tenant are 404, for each method and view', async () => {
      for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['PUT', { name: 'x' }], ['DELETE']] as const)
        assert.deepEqual(
          await refuse('ann', method, `/folders/${theirs}/`, body),
          [404, { detail: 'Not found.' }],
          method,
        )
      assert.equal((await send('ann', 'GET', `/notes/${theirNote}/look/`)).status, 404)
      assert.equal((await send('bob', 'GET', `/notes/${theirNote}/look/`)).status, 200)
      assert.equal((await send('ann', 'GET', `/folders/${theirs}/notes/`)).status, 404)
    })

    test('a precondition does not tell of the row of another tenant', async () => {
      const { headers } = await send('bob', 'GET', `/folders/${theirs}/`)
      const withTag = { 'if-match': headers.etag }
      assert.equal((await send('ann', 'PATCH', `/folders/${theirs}/`, { name: 'x' }, withTag)).status, 404)
      const ofOwn = (await send('ann', 'GET', `/folders/${mine}/`)).headers.etag
      assert.equal((await send('ann', 'GET', `/folders/${mine}/`, undefined, { 'if-none-match': ofOwn })).status, 304)
      assert.equal((await send('bob', 'GET', `/folders/${mine}/`, undefined, { 'if-none-match': ofOwn })).status, 404)
    })

    test('cached pages differ by tenant, and so do counts', async () => {
      for (let round = 0; round < 3; round++)
        for (const [user, names] of [
          ['ann', ['a']],
          ['bob', ['b']],
          ['nil', []],
          [undefined, []],
          ['sue', ['a', 'b']],
        ] as const) {
          const { count, results } = await get(user, '/folders/')
          assert.deepEqual([count, results.map(({ name }: { name: string }) => name)], [names.length, [...names]], user)
        }
      for (let round = 0; round < 2; round++)
        for (const [user, counts] of [
          ['ann', [1, 0]],
          ['bob', [0, 1]],
          ['nil', [0, 0]],
          ['sue', [1, 1]],
        ] as const) {
          const shown = await get(user, '/organizations/')
          assert.deepEqual(
            shown.map(({ folders }: { folders: number }) => folders),
            counts,
            user,
          )
        }
    })

    test('a row of another tenant cannot be named, in a body, a nested object, a list or a bulk', async () => {
      const refused = await refuse('ann', 'POST', '/notes/', { title: 'x', folder: theirs })
      const absent = await refuse('ann', 'POST', '/notes/', { title: 'x', folder: 999_999 })
      assert.equal(refused[0], 400)
      assert.deepEqual(
        JSON.stringify(refused).replaceAll(String(theirs), 'N'),
        JSON.stringify(absent).replaceAll('999999', 'N'),
      )
      const note = await create('ann', '/notes/', { title: 'x', folder: mine })
      assert.equal((await refuse('ann', 'PATCH', `/notes/${note}/`, { folder: theirs }))[0], 400)
      assert.equal((await refuse('ann', 'POST', '/notes/', [{ title: 'y', folder: theirs }]))[0], 400)
      assert.equal((await refuse('ann', 'PATCH', '/notes/', [{ id: theirNote, title: 'y' }]))[0], 400)
      assert.equal((await refuse('ann', 'DELETE', '/notes/', [theirNote]))[0], 400)
      const [status, body] = await refuse('ann', 'PATCH', `/folders/${mine}/`, {
        notes: [{ id: theirNote, title: 'y' }],
      })
      assert.deepEqual([status, Object.keys(body)], [400, ['notes']])
      assert.deepEqual((await api().rows('notes')).find(({ id }) => id === theirNote)!.title, 'tea')
    })

    test('relations to a row of another tenant show nothing, and no query finds it', async () => {
      const [note] = await api().insert('notes', [{ org: 1, folder_id: theirs, author_id: 1, title: 'stray' }])
      const [shown] = await get('ann', '/notes/')
      assert.deepEqual([shown.id, shown.folder, shown.name], [note, null, null])
      assert.equal((await get('ann', '/notes/?expand=folder'))[0].folder, null)
      for (const query of [`folder=${theirs}`, 'folder__name=b', 'inside=b', 'search=b']) {
        const { status, text: body } = await send('ann', 'GET', `/notes/?${query}`)
        assert.ok(status === 400 || body === '[]', `${query}: ${status} ${body}`)
      }
      assert.deepEqual((await get('bob', '/folders/')).results[0].count, 1)
      const [ofBob] = (await get('bob', '/folders/')).results
      assert.deepEqual([ofBob.notes.length, ofBob.filled, ofBob.newest], [1, true, 'tea'])
    })

    test('unique values are unique for each tenant, and errors do not tell of others', async () => {
      await create('ann', '/folders/', { name: 'b', code: 'x', place: 1 })
      await create('bob', '/folders/', { name: 'a', code: 'x', place: 1 })
      const taken = { name: ['There is a folder with this name.'] }
      assert.deepEqual(await refuse('ann', 'POST', '/folders/', { name: 'b' }), [400, taken])
      assert.deepEqual(await refuse('ann', 'PATCH', `/folders/${mine}/`, { name: 'b' }), [400, taken])
      const [status, set] = await refuse('ann', 'POST', '/folders/', { name: 'c', code: 'x', place: 1 })
      assert.deepEqual([status, set], [400, { non_field_errors: ['The fields code, place must make a unique set.'] }])
      assert.equal((await api().rows('folders')).filter(({ name }) => name === 'b').length, 2)
    })

    test('many bodies are compared within the tenant', async () => {
      const titles = ['p', 'q', 'r'].map(title => ({ title, folder: mine }))
      assert.equal((await send('ann', 'POST', '/notes/', titles)).status, 201)
      const [status, errors] = await refuse('ann', 'POST', '/notes/', [
        { title: 's', folder: mine },
        { title: 'q', folder: mine },
      ])
      assert.equal(status, 400)
      assert.deepEqual(errors[1], { non_field_errors: ['The fields title must make a unique set.'] })
      assert.equal((await send('amy', 'POST', '/notes/', titles)).status, 201)
    })

    test('a set with the owner names the fields of the body', async () => {
      await create('ann', '/notes/', { title: 'x', folder: mine })
      const other = await create('ann', '/notes/', { title: 'y', folder: mine })
      const expected = [400, { non_field_errors: ['The fields title must make a unique set.'] }]
      assert.deepEqual(await refuse('ann', 'POST', '/notes/', { title: 'x', folder: mine }), expected)
      assert.deepEqual(await refuse('ann', 'PATCH', `/notes/${other}/`, { title: 'x' }), expected)
      // Another author, who belongs to the same tenant, changes the row of its author.
      assert.deepEqual(await refuse('amy', 'PATCH', `/notes/${other}/`, { title: 'x' }), expected)
      await create('amy', '/notes/', { title: 'x', folder: mine })
    })

    test('a caller without a tenant creates nothing and sees nothing', async () => {
      const refused = [403, { detail: 'You belong to no tenant, so you cannot create this.' }]
      assert.deepEqual(await refuse('nil', 'POST', '/folders/', { name: 'n' }), refused)
      assert.deepEqual(await refuse('nil', 'POST', '/folders/', { name: 'n', notes: [{ title: 'n' }] }), refused)
      assert.deepEqual(await refuse('nil', 'POST', '/marks/', { text: 'n' }), refused)
      assert.deepEqual(await refuse('odd', 'POST', '/folders/', { name: 'n' }), refused)
      assert.equal((await refuse(undefined, 'POST', '/folders/', { name: 'n' }))[0], 401)
      assert.deepEqual(await get('nil', '/notes/'), [])
      assert.equal((await refuse('nil', 'GET', `/folders/${mine}/`))[0], 404)
    })

    test('a caller who sees all tenants changes the rows of each within it', async () => {
      assert.equal((await get('sue', '/folders/')).count, 2)
      await create('bob', '/folders/', { name: 'a' })
      assert.equal((await send('sue', 'PATCH', `/folders/${theirs}/`, { name: 'c' })).status, 200)
      const taken = { name: ['There is a folder with this name.'] }
      assert.deepEqual(await refuse('sue', 'PATCH', `/folders/${theirs}/`, { name: 'a' }), [400, taken])
      assert.equal((await api().rows('folders')).find(({ id }) => id === theirs)!.organization_id, 2)
      assert.equal((await refuse('sue', 'POST', '/folders/', { name: 'n' }))[0], 403)
    })

    test('a URL below another tenant creates nothing there', async () => {
      assert.equal((await send('ann', 'POST', '/organizations/1/below/', { name: 'n' })).status, 201)
      assert.equal((await refuse('ann', 'POST', '/organizations/2/below/', { name: 'm' }))[0], 404)
      assert.deepEqual(await get('ann', '/organizations/2/below/'), [])
      assert.deepEqual(
        (await api().rows('folders')).filter(({ name }) => name === 'm'),
        [],
      )
    })

    test('a tenant without a table, by a function of the caller', async () => {
      await create('ann', '/marks/', { text: 'x' })
      await create('bob', '/marks/', { text: 'x' })
      assert.deepEqual(await refuse('ann', 'POST', '/marks/', { text: 'x' }), [400, { text: ['taken'] }])
      assert.deepEqual(
        (await api().rows('marks')).map(({ company_id }) => company_id),
        ['a', 'b'],
      )
      assert.equal((await get('bob', '/marks/')).length, 1)
      assert.deepEqual(await get('nil', '/marks/'), [])
    })

    suite('rows without a tenant', () => {
      let free: number
      beforeEach(async () => {
        free = await create('sue', '/labels/', { name: 'x', place: 1 })
      })

      test('are created by a caller who sees all tenants and belongs to none', async () => {
        await create('ann', '/labels/', { name: 'x', place: 1 })
        await create('bob', '/labels/', { name: 'x', place: 1 })
        assert.deepEqual(
          (await api().rows('labels')).map(({ organization_id }) => organization_id),
          [null, 1, 2],
        )
        assert.equal((await refuse('nil', 'POST', '/labels/', { name: 'n' }))[0], 403)
        assert.equal((await refuse(undefined, 'POST', '/labels/', { name: 'n' }))[0], 401)
      })

      test('exist for nobody else, also not for callers without a tenant', async () => {
        for (const user of ['ann', 'nil', 'odd', undefined]) {
          assert.deepEqual(await get(user, '/labels/'), [], user)
          for (const [method, body] of [['GET'], ['PATCH', { name: 'y' }], ['DELETE']] as const)
            assert.equal((await send(user, method, `/labels/${free}/`, body)).status, 404)
        }
        assert.equal((await get('sue', '/labels/')).length, 1)
        assert.equal((await send('sue', 'PATCH', `/labels/${free}/`, { name: 'y' })).status, 200)
        assert.equal((await api().rows('labels'))[0]!.organization_id, null)
      })

      test('have values that are unique among them', async () => {
        const taken = [400, { name: ['taken'] }]
        const set = [400, { non_field_errors: ['The fields kind, place must make a unique set.'] }]
        assert.deepEqual(await refuse('sue', 'POST', '/labels/', { name: 'x' }), taken)
        assert.deepEqual(await refuse('sue', 'POST', '/labels/', { name: 'y', place: 1 }), set)
        const other = await create('sue', '/labels/', { name: 'y', place: 2 })
        assert.deepEqual(await refuse('sue', 'PATCH', `/labels/${other}/`, { name: 'x' }), taken)
        assert.deepEqual(await refuse('sue', 'PATCH', `/labels/${other}/`, { place: 1 }), set)
        assert.equal((await send('sue', 'PUT', `/labels/${other}/`, { name: 'y', place: 2 })).status, 200)
        const many = await refuse('sue', 'POST', '/labels/', [{ name: 'z' }, { name: 'x' }])
        assert.deepEqual(many, [400, [{}, { name: ['taken'] }]])
        await assert.rejects(api().insert('labels', [{ name: 'x', kind: 'other' }]))
      })
    })

    test('PUT, a second page and HEAD do not tell of other tenants', async () => {
      assert.equal((await refuse('ann', 'GET', '/folders/?page=2'))[0], 404)
      assert.equal((await send('ann', 'HEAD', `/folders/${theirs}/`)).status, 404)
      assert.equal((await send('ann', 'OPTIONS', `/folders/${theirs}/`)).text.includes('"b"'), false)
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('mistakes', () => {
  for (const [message, declare] of [
    [
      'resource "folders": field "organization" would let bodies set the tenant: wrap it in readOnly()',
      () => resource('folders', { table: folders, fields: { id: key(), organization: related('organizations') } }),
    ],
    [
      'resource "folders": lookup: "name" is unique for each tenant, and some callers see the rows of all: remove "lookup", or "all" of the tenant',
      () => resource('folders', { table: folders, lookup: 'name', fields: folders.pick('id', 'name') }),
    ],
  ] as const)
    test(message, () => {
      assert.throws(declare, { message })
    })
})
