// Row filters: the same condition applies to lists, counts, objects and relations.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  allowAny,
  and,
  authenticated,
  authenticatedOrReadOnly,
  type Database,
  integer,
  key,
  listView,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  pageNumber,
  related,
  resource,
  rowFilter,
  staff,
  text,
} from 'resource-api'
import type { RowFilter } from '../../src/core/policy/permissions/row-filter.ts'
import { bookRow } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
    values: async ({ user }) => ({ caller: user.id }),
  },
}
/** A condition with a top-level `or`, without parentheses. */
const thinRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('pages')} = ${value('one')} or ${column('pages')} = ${value('two')}`,
    values: () => ({ one: 1, two: 2 }),
  },
}
const poems: Permission = {
  filter: { where: ({ column }) => sql`${column('genre')} = 'poetry'`, values: () => ({}) },
}

interface Row {
  readonly owner_id: number | null
  readonly pages: number
  readonly genre: string
}

type Caller = keyof typeof people | undefined
const callers = [undefined, 'ann', 'bob', 'sue'] as const
const requestOptions = (caller: Caller) => (caller === undefined ? {} : asUser(caller))

interface Leaf {
  readonly permission: Permission
  /** Whether the caller can see the row; omitted if the permission has no row filter. */
  readonly row?: (row: Row, caller: Caller) => boolean
  /** Whether the caller may use the view; omitted if the permission does not check views. */
  readonly view?: (caller: Caller, method: string) => boolean
}

const leaves: Record<string, Leaf> = {
  any: { permission: allowAny, view: () => true },
  authenticated: { permission: authenticated, view: caller => caller !== undefined },
  staff: { permission: staff, view: caller => caller === 'sue' },
  reader: { permission: authenticatedOrReadOnly, view: (caller, method) => caller !== undefined || method === 'GET' },
  own: { permission: ownRows, row: ({ owner_id }, caller) => caller !== undefined && owner_id === people[caller].id },
  mine: {
    permission: rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id}`),
    row: ({ owner_id }, caller) => caller !== undefined && owner_id === people[caller].id,
  },
  thin: { permission: thinRows, row: ({ pages }) => pages <= 2 },
  poems: { permission: poems, row: ({ genre }) => genre === 'poetry' },
}

/** A combination of policies, as a tree. */
type Tree =
  | { readonly kind: 'leaf'; readonly name: string }
  | { readonly kind: 'and' | 'or'; readonly services: readonly Tree[] }
  | { readonly kind: 'not'; readonly services: readonly Tree[] }

function createPermission(tree: Tree): Permission {
  if (tree.kind === 'leaf') return leaves[tree.name]!.permission
  return { and, or, not }[tree.kind](...(tree.services.map(createPermission) as [Permission]))
}

/** The expected result of a combination for a row, or for the view without a row; row filters are true for the view. */
function isAllowed(tree: Tree, caller: Caller, method: string, row?: Row, negated = false): boolean {
  if (tree.kind === 'leaf') {
    const { row: checkRow, view: checkView } = leaves[tree.name]!
    // A policy that does not check this permits it, and so does not() of that policy.
    if (row === undefined ? checkView === undefined : checkView === undefined && checkRow === undefined) return true
    return (checkView?.(caller, method) ?? checkRow!(row!, caller)) !== negated
  }
  if (tree.kind === 'not') return isAllowed(tree.services[0]!, caller, method, row, !negated)
  const quantifier = (tree.kind === 'and') === negated ? 'some' : 'every'
  return tree.services[quantifier](part => isAllowed(part, caller, method, row, negated))
}

const trees = fc.letrec<{ tree: Tree }>(tie => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...Object.keys(leaves)).map((name): Tree => ({ kind: 'leaf', name })),
    fc.record({ kind: fc.constant('not' as const), services: fc.tuple(tie('tree')) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      services: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).tree

const rows = fc.array(
  fc.record({
    owner_id: fc.constantFrom(null, people.ann.id, people.bob.id),
    pages: fc.integer({ min: 1, max: 4 }),
    genre: fc.constantFrom('novel', 'poetry'),
  }),
  { maxLength: 5 },
)

const hookColumns = ['subtitle', 'contact', 'genre', 'in_print', 'owner_id'] as const

/** Papers with these permissions, and resources with relations to them. */
function createResources(permissions: readonly Permission[]) {
  const papers = resource('papers', {
    table: 'books',
    permissions,
    actions: ['list', 'retrieve', 'update', 'destroy'],
    fields: { id: key(), title: text(), pages: integer() },
    hookColumns,
    pagination: pageNumber({ pageSize: 2 }),
  })
  const shelves = resource('shelves', {
    table: 'tags',
    permissions: [],
    fields: {
      id: key(),
      name: text(),
      papers: related(papers, { many: { table: 'book_tags', own: 'tag_id', other: 'book_id' } }),
    },
    listViews: {
      pick: listView({
        body: { paper: related(papers, { form: 'url' }) },
        handlers: { POST: () => ({ status: 204 }) },
      }),
    },
  })
  return [papers, shelves, resource('streamed', { ...papers, pagination: null, ordering: [] })]
}

onEachDatabase(
  () => ({}),
  api => {
    const deleteRows = () =>
      api().database.transaction(async ({ kysely }) => {
        for (const table of ['books', 'tags']) await kysely.deleteFrom(table).execute()
      })
    const startWithPermissions = (permissions: readonly Permission[]) =>
      startApi({
        database: api().database,
        authentication: [userScheme],
        resources: createResources(permissions),
      })

    /** The ids from all pages, and the distinct counts that the pages report. */
    async function idsAndCount(client: LibraryApi['client'], caller: Caller) {
      const ids: number[] = []
      const counts = new Set<number>()
      for (let url: string | null = '/papers/'; url !== null; ) {
        const response = await client.get(url, requestOptions(caller))
        assert.equal(response.status, 200, response.text)
        const page: { count: number; next: string | null; results: { id: number }[] } = response.json()
        ids.push(...page.results.map(({ id }) => id))
        counts.add(page.count)
        url = page.next
      }
      return { ids, counts: [...counts] }
    }

    test('lists, counts, retrieve, relations and writes agree on the visible rows', async () => {
      const property = fc.asyncProperty(
        rows,
        fc.array(trees, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...callers),
        async (rows, trees, caller) => {
          await deleteRows()
          const keys =
            rows.length === 0
              ? []
              : await api().insert(
                  'books',
                  rows.map(row => ({ ...bookRow, ...row })),
                )
          const { client, stop } = await startWithPermissions(trees.map(createPermission))
          const mayUseView = (method: string) => trees.every(tree => isAllowed(tree, caller, method))
          const listVisible = (method: string) =>
            keys.filter((_, index) => trees.every(tree => isAllowed(tree, caller, method, rows[index])))
          const requestEach = async (method: string, ids: readonly number[], json?: object) => {
            const send = (id: number) =>
              client.request(method, `/papers/${id}/`, { ...requestOptions(caller), ...(json && { json }) })
            return Promise.all(ids.map(async id => (await send(id)).status))
          }
          if (!mayUseView('GET')) {
            for (const url of ['/papers/', '/streamed/', ...keys.map(id => `/papers/${id}/`)])
              assert.equal((await client.get(url, requestOptions(caller))).status, caller ? 403 : 401)
          } else {
            const visibleKeys = listVisible('GET')
            assert.deepEqual(await idsAndCount(client, caller), { ids: visibleKeys, counts: [visibleKeys.length] })
            const streamed = (await client.get('/streamed/', requestOptions(caller))).json()
            assert.deepEqual(
              streamed.map(({ id }: { id: number }) => id),
              visibleKeys,
            )
            const status = (ifVisible: number, ifHidden: number) =>
              keys.map(id => (visibleKeys.includes(id) ? ifVisible : ifHidden))
            assert.deepEqual(await requestEach('GET', keys), status(200, 404))
            const post = (url: string, json: object) => client.post(url, { ...requestOptions(caller), json })
            const related = keys.map(async id => (await post('/shelves/', { name: `${id}`, papers: [id] })).status)
            assert.deepEqual(await Promise.all(related), status(201, 400))
            const picked = keys.map(async id => (await post('/shelves/pick/', { paper: `/papers/${id}/` })).status)
            assert.deepEqual(await Promise.all(picked), status(204, 400))
          }
          for (const [method, allowedStatus] of [
            ['PUT', 400],
            ['PATCH', 400],
            ['DELETE', 204],
          ] as const) {
            const refused = caller === undefined ? 401 : 403
            const expected = keys.map(id =>
              mayUseView(method) ? (listVisible(method).includes(id) ? allowedStatus : 404) : refused,
            )
            assert.deepEqual(await requestEach(method, keys, { pages: 'x' }), expected, method)
          }
          await stop()
        },
      )
      await fc.assert(property, { numRuns: randomCases(60) })
    })

    test('a related object is visible if its own URL can be read, even in a write of the referring object', async () => {
      await deleteRows()
      const [id] = await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])
      const { client, stop } = await startWithPermissions([or(authenticatedOrReadOnly, ownRows)])
      assert.equal((await client.get(`/papers/${id}/`)).status, 200)
      assert.equal((await client.post('/shelves/', { json: { name: 'A', papers: [id] } })).status, 201)
      assert.equal((await client.post('/shelves/pick/', { json: { paper: `/papers/${id}/` } })).status, 204)
      await stop()
    })

    // Combination → how many of the four rows below an anonymous caller, Ann, Bob and staff see; – if the view refuses.
    const table: readonly (readonly [name: string, permissions: readonly Permission[], counts: string])[] = [
      ['own', [ownRows], '0 2 1 0'],
      ['not own', [not(ownRows)], '4 2 3 4'],
      ['own, of two policies', [ownRows, poems], '0 1 1 0'],
      ['and', [and(ownRows, poems)], '0 1 1 0'],
      ['or', [or(ownRows, poems)], '2 3 2 2'],
      ['or with the staff', [or(staff, ownRows)], '0 2 1 4'],
      ['not and', [not(and(ownRows, poems))], '4 3 3 4'],
      ['not or', [not(or(ownRows, poems))], '2 1 2 2'],
      ['not or with the staff', [not(or(staff, ownRows))], '4 2 3 –'],
      ['not not', [not(not(ownRows))], '0 2 1 0'],
      ['reworded', [not({ ...and(ownRows, poems), message: 'No.' })], '4 3 3 4'],
      ['an or inside', [and(thinRows, ownRows)], '0 2 1 0'],
      ['an or of nothing', [or()], '– – – –'],
      ['a view as well', [authenticated, or(staff, and(authenticated, ownRows))], '– 2 1 4'],
    ]
    for (const [name, permissions, expected] of table) {
      test(`the visible rows with the permissions: ${name}`, async () => {
        await deleteRows()
        const { ann, bob } = people
        const owners = [
          [ann.id, 'novel'],
          [ann.id, 'poetry'],
          [bob.id, 'poetry'],
          [null, 'novel'],
        ] as const
        await api().insert(
          'books',
          owners.map(([owner_id, genre]) => ({ ...bookRow, pages: 1, owner_id, genre })),
        )
        const { client, stop } = await startWithPermissions(permissions)
        const counts = callers.map(
          async caller => (await client.get('/papers/', requestOptions(caller))).json().count ?? '–',
        )
        assert.equal((await Promise.all(counts)).join(' '), expected)
        await stop()
      })
    }
  },
)

/** The caller's rows, or all rows for an anonymous caller. */
const callersRows: Permission = {
  filter: {
    where: ({ column, value }) =>
      sql`${value('owner')} is null or ${column('owner_id')} = ${value('owner')} or (not ${value('flag')} is not null and ${value('number')} is null)`,
    values: ({ user }) => ({ owner: user.id, flag: true, number: 1.5 }),
  },
}

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      resource('asked', { table: 'books', actions: ['list'], permissions: [callersRows], fields: { id: key() } }),
    ],
  }),
  api => {
    test('a value of a row filter may be used only in a comparison with null', async () => {
      const [annsRow, orphanRow] = await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }, bookRow])
      const ids = async (caller: Caller) => {
        const response = await api().client.get('/asked/', requestOptions(caller))
        assert.equal(response.status, 200, response.text)
        return response.json().map(({ id }: { id: number }) => id)
      }
      assert.deepEqual(await ids(undefined), [annsRow, orphanRow])
      assert.deepEqual(await ids('ann'), [annsRow])
      assert.deepEqual(await ids('bob'), [])
    })
  },
)

test('or() refuses a policy with a filter next to one with allowsObject', () => {
  const owner = ownerOrReadOnly('owner_id')
  const message = 'or(): one policy has a filter and another has allowsObject: give a filter to both, or to neither'
  for (const combine of [
    () => or(ownRows, owner),
    () => or(owner, staff, ownRows),
    () => or(ownRows, and(poems, owner)),
    () => not(and(ownRows, owner)),
  ])
    assert.throws(combine, { message })
  or(staff, and(ownRows, owner))
  or(owner, staff)
  not({ ...ownRows, ...owner })
})

/** Runs during the object permission check, after the object was read. */
let duringCheck: (() => Promise<unknown>) | undefined

const objectCheck: Permission = {
  columns: ['id'],
  async allowsObject() {
    const callback = duringCheck
    duringCheck = undefined
    await callback?.()
    return true
  },
}

const createBooks = (name: string, hooks: object) =>
  resource(name, {
    table: 'books',
    permissions: [ownRows, objectCheck],
    actions: ['list', 'retrieve', 'update', 'destroy'],
    fields: { id: key(), title: text() },
    hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'pages', 'owner_id'],
    ...hooks,
  })

const visibleTitles: RowFilter = {
  where: ({ column }) => sql`${column('title')} <> 'hidden'`,
  values: () => ({}),
}

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      createBooks('plain', {}),
      createBooks('hooked', { beforeSave: () => undefined, beforeDestroy: () => undefined }),
      resource('titled', {
        table: 'books',
        permissions: [{ filter: visibleTitles }],
        fields: { id: key(), title: text(), pages: integer({ default: 1 }) },
        hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
        prepare: () => ({ subtitle: '', contact: '', genre: '', in_print: true }),
      }),
    ],
  }),
  api => {
    let id: number
    before(() => {
      duringCheck = undefined
    })
    beforeEach(async () => {
      ;[id] = (await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])) as [number]
    })
    const updateRow = ({ transaction }: Database, values: object) =>
      transaction(({ kysely }) => kysely.updateTable('books').set(values).where('id', '=', id).execute())
    const readRow = async () => (await api().rows('books')).find(found => Number(found.id) === id)!

    for (const name of ['plain', 'hooked'])
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        test(`a row that becomes hidden during the permission check is 404: ${method}, ${name}`, async () => {
          duringCheck = () => updateRow(api().database, { owner_id: people.bob.id })
          const response = await api().client.request(method, `/${name}/${id}/`, {
            ...asUser('ann'),
            json: { title: 'B' },
          })
          assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
          assert.equal((await readRow()).title, 'Emma')
        })

    test('a write that hides its own row returns the row, and later requests get 404', async () => {
      const { client } = api()
      const changed = await client.patch(`/titled/${id}/`, { json: { title: 'hidden' } })
      assert.deepEqual([changed.status, changed.json()], [200, { id, title: 'hidden', pages: 474 }])
      assert.equal((await client.get(`/titled/${id}/`)).status, 404)
      const created = await client.post('/titled/', { json: { title: 'hidden' } })
      assert.equal(created.status, 201)
      assert.equal((await client.get(created.headers.location!)).status, 404)
    })

    test('HEAD and OPTIONS of a hidden object reveal nothing', async () => {
      const { client } = api()
      assert.equal((await client.request('HEAD', `/plain/${id}/`, asUser('bob'))).status, 404)
      const bodies = [id, 999_999].map(
        async key => (await client.request('OPTIONS', `/plain/${key}/`, asUser('bob'))).text,
      )
      const [hiddenBody, missingBody] = await Promise.all(bodies)
      assert.equal(hiddenBody, missingBody)
      assert.doesNotMatch(hiddenBody!, /actions/)
      assert.match((await client.request('OPTIONS', `/plain/${id}/`, asUser('ann'))).text, /"PUT"/)
    })
  },
)
