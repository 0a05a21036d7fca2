// Tables that extend one with a tenant, deleted rows and UUIDs, over three levels, with children, parents, hooks and pages.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  allowAny,
  cursor,
  resource as declareResource,
  forTypes,
  type Identity,
  idempotencyMigrations,
  integer,
  key,
  nested,
  objectView,
  pageNumber,
  type Resource,
  readOnly,
  related,
  text,
  uuidKey,
} from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { count, created, deleted, reference, table, tables, tenant } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const organizations = table('organizations', { columns: { id: key(), name: text() } })
const documents = table('documents', {
  key: uuidKey(),
  columns: {
    id: key(),
    organization: tenant('organizations'),
    folder: reference('folders', { nullable: true }),
    shelf: text({ nullable: true }),
    title: text({ max: 20, unique: 'There is a document with this title.' }),
    created_at: created(),
    deleted_at: deleted(),
  },
})
const folders = table('folders', { columns: { id: key(), organization: tenant('organizations'), name: text() } })
const reports = table('reports', {
  extends: { document: documents },
  columns: { year: integer(), summary: text({ nullable: true }) },
})
const audits = table('audits', { extends: { report: reports }, columns: { findings: integer({ min: 0 }) } })
const remarks = table('remarks', {
  columns: { id: key(), report: reference('reports', { onDelete: 'cascade' }), text: text() },
})
const schema = tables({ owner: 'office', tables: [organizations, documents, folders, reports, audits, remarks] })

interface Member extends Identity {
  readonly organization_id: number
}
const members: Readonly<Record<string, Member>> = {
  ann: { isAuthenticated: true, id: 1, username: 'ann', isStaff: false, organization_id: 1 },
  bob: { isAuthenticated: true, id: 2, username: 'bob', isStaff: false, organization_id: 2 },
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

const { resource } = forTypes<Member, typeof schema>()
const remarkResource = resource('remarks', {
  table: remarks,
  pagination: null,
  fields: { ...remarks.pick('id', 'text'), report: related('reports') },
})
const saved: string[] = []
// Hooks may write columns of both tables.
const reportResource: Resource = declareResource('reports', {
  table: reports,
  pagination: cursor({ secret: 's'.repeat(32), ordering: '-created_at', pageSize: 2 }),
  fields: {
    ...reports.pick('id', 'title', 'year', 'created_at'),
    summary: readOnly(text({ nullable: true })),
    shelf: readOnly(text({ nullable: true })),
    folder: related('folders', { nullable: true }),
    remarks: nested({ of: remarkResource, many: { reverse: 'report_id' }, fields: ['id', 'text'], writable: true }),
  },
  hookColumns: ['summary', 'shelf'],
  beforeSave: ({ values }) => ({ summary: `${values.title} ${values.year}`, shelf: `shelf ${values.year}` }),
  afterSave: ({ after }) => {
    saved.push(String(after.title))
  },
  nestedUnder: [{ parent: 'folders', field: 'folder' }],
})
const bin = resource('bin', {
  table: reports,
  pagination: null,
  rows: { deleted_at__isnull: false },
  fields: reports.pick('id', 'title', 'year', 'deleted_at'),
  actions: ['list', 'retrieve', 'destroy'],
  objectViews: {
    restore: objectView({ handlers: { POST: async ({ restore }) => ({ status: 200, body: await restore() }) } }),
  },
})
const auditResource = resource('audits', {
  table: audits,
  pagination: pageNumber({ pageSize: 2 }),
  ordering: ['title'],
  bulk: 'atomic',
  fields: { ...audits.pick('id', 'title', 'year', 'findings'), folder: related('folders', { nullable: true }) },
  filters: { year: ['gte'], findings: true },
})
const folderResource = resource('folders', {
  table: folders,
  pagination: null,
  fields: {
    ...folders.pick('id', 'name'),
    audits: nested({
      of: auditResource,
      many: { reverse: 'folder_id' },
      fields: ['id', 'title', 'year', 'findings'],
      writable: true,
    }),
    documents: count('documents'),
  },
})

onEachDatabase<Member>(
  () => ({
    resources: [remarkResource, reportResource, bin, auditResource, folderResource],
    authentication: [scheme],
    idempotencyKeys: true,
    anonymous: {
      user: { isAuthenticated: false, id: null, username: '', isStaff: false, organization_id: 0 },
      auth: null,
    },
    permissions: [allowAny],
  }),
  api => {
    const as = (user: keyof typeof members) => {
      const options = { headers: { 'x-user': user as string } }
      return {
        get: (url: string) => api().client.get(url, options),
        post: (url: string, json: unknown = {}, headers = {}) =>
          api().client.post(url, { headers: { ...options.headers, ...headers }, json }),
        patch: (url: string, json: unknown) => api().client.patch(url, { ...options, json }),
        put: (url: string, json: unknown) => api().client.put(url, { ...options, json }),
        delete: (url: string, json?: unknown) =>
          api().client.delete(url, { ...options, ...(json !== undefined && { json }) }),
      }
    }
    const [ann, bob] = [as('ann'), as('bob')]
    // biome-ignore lint/suspicious/noExplicitAny: a test knows what it expects
    const ok = async (response: Promise<{ status: number; text: string; json(): any }>) => {
      const { status, text, json } = await response
      assert.ok(status < 300, text)
      return json()
    }

    beforeEach(async () => {
      saved.length = 0
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['remarks', 'audits', 'reports', 'documents', 'folders', 'organizations'])
          await kysely.deleteFrom(name).execute()
      })
      await api().insert('organizations', [
        { id: 1, name: 'A' },
        { id: 2, name: 'B' },
      ])
    })

    test('the rows of another tenant do not exist, and unique values are unique for each tenant', async () => {
      const { id } = await ok(ann.post('/reports/', { title: 'Plan', year: 2027 }))
      assert.equal((await ok(bob.post('/reports/', { title: 'Plan', year: 2027 }))).title, 'Plan')
      assert.deepEqual((await ann.post('/reports/', { title: 'Plan', year: 1 })).json(), {
        title: ['There is a document with this title.'],
      })
      for (const request of [
        bob.get(`/reports/${id}/`),
        bob.patch(`/reports/${id}/`, { year: 1 }),
        bob.delete(`/reports/${id}/`),
      ])
        assert.equal((await request).status, 404)
      assert.deepEqual((await bob.post('/remarks/', { report: id, text: 'x' })).json(), {
        report: [`Invalid pk "${id}" - object does not exist.`],
      })
      const folder = await ok(bob.post('/folders/', { name: 'B', audits: [] }))
      assert.equal((await ann.patch(`/reports/${id}/`, { folder: folder.id })).status, 400)
    })

    test('deleted objects stay, and come back', async () => {
      const { id } = await ok(ann.post('/reports/', { title: 'Plan', year: 2027, remarks: [{ text: 'good' }] }))
      assert.equal((await ann.delete(`/reports/${id}/`)).status, 204)
      assert.equal((await ann.get(`/reports/${id}/`)).status, 404)
      assert.deepEqual(
        (await ann.get('/bin/')).json().map(({ title }: { title: string }) => title),
        ['Plan'],
      )
      assert.equal((await bob.get(`/bin/${id}/`)).status, 404)
      const again = await ok(ann.post('/reports/', { title: 'Plan', year: 2027 }))
      assert.equal((await ann.post(`/bin/${id}/restore/`)).status, 400)
      await ann.delete(`/reports/${again.id}/`)
      assert.equal((await ok(ann.post(`/bin/${id}/restore/`))).title, 'Plan')
      assert.equal((await ok(ann.get(`/reports/${id}/`))).remarks.length, 1)
      assert.equal((await ann.delete(`/bin/${again.id}/`)).status, 204)
      assert.deepEqual(
        (await api().rows('documents')).map(row => row.id),
        [id],
      )
    })

    test('objects of two tables have children, hooks and parents', async () => {
      const folder = await ok(ann.post('/folders/', { name: 'A', audits: [] }))
      const report = await ok(
        ann.post(`/folders/${folder.id}/reports/`, {
          title: 'Plan',
          year: 2027,
          remarks: [{ text: 'a' }, { text: 'b' }],
        }),
      )
      assert.deepEqual(
        [report.summary, report.shelf, report.folder, report.remarks.length, saved],
        ['Plan 2027', 'shelf 2027', folder.id, 2, ['Plan']],
      )
      const url = `/folders/${folder.id}/reports/${report.id}/`
      const changed = await ok(ann.patch(url, { title: 'Plan B', remarks: [{ text: 'c' }] }))
      assert.deepEqual([changed.title, changed.summary, changed.remarks.length], ['Plan B', 'Plan B 2027', 1])
      assert.deepEqual(await ok(ann.get(url)), changed)
      assert.equal((await ok(ann.get(`/folders/${folder.id}/`))).documents, 1)
    })

    test('rows of three tables are children, items and objects', async () => {
      const folder = await ok(
        ann.post('/folders/', {
          name: 'A',
          audits: [
            { title: 'one', year: 1, findings: 0 },
            { title: 'two', year: 2, findings: 5 },
          ],
        }),
      )
      assert.deepEqual(
        folder.audits.map(({ id: _, ...audit }: { id: string }) => audit),
        [
          { title: 'one', year: 1, findings: 0 },
          { title: 'two', year: 2, findings: 5 },
        ].toSorted((a, b) => (folder.audits[0].title === a.title ? -1 : folder.audits[0].title === b.title ? 1 : 0)),
      )
      const [first] = folder.audits
      const changed = await ok(
        ann.patch(`/folders/${folder.id}/`, { audits: [{ id: first.id, findings: 9, title: 'new' }] }),
      )
      assert.deepEqual(changed.audits, [{ id: first.id, title: 'new', year: first.year, findings: 9 }])
      const made = await ok(
        ann.post('/audits/', [
          { title: 'x', year: 3, findings: 1 },
          { title: 'y', year: 4, findings: 2 },
        ]),
      )
      assert.deepEqual(
        made.map(({ title }: { title: string }) => title),
        ['x', 'y'],
      )
      await ok(
        ann.patch(
          '/audits/',
          made.map(({ id, year }: { id: string; year: number }) => ({ id, title: `t${year}`, year: 10, findings: 7 })),
        ),
      )
      const page = await ok(ann.get('/audits/?year__gte=10&findings=7'))
      assert.deepEqual([page.count, page.results.map(({ title }: { title: string }) => title)], [2, ['t3', 't4']])
      assert.equal((await ok(ann.get('/audits/'))).results.length, 2)
      assert.equal((await ok(ann.get('/audits/?page=2'))).results.length, 1)
      assert.equal((await ann.get(`/reports/${first.id}/`)).json().title, 'new')
      assert.equal((await ann.post('/audits/', { title: 'bad', year: 1, findings: -1 })).status, 400)
      assert.equal((await ann.delete('/audits/', [first.id])).status, 204)
      assert.equal((await ann.get(`/reports/${first.id}/`)).status, 404)
    })

    test('cursors and idempotency keys work', async () => {
      const headers = { 'idempotency-key': 'key-of-a-report' }
      const first = await ann.post('/reports/', { title: 'a', year: 1 }, headers)
      const again = await ann.post('/reports/', { title: 'a', year: 1 }, headers)
      assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text])
      for (const title of ['b', 'c']) await ok(ann.post('/reports/', { title, year: 1 }))
      const page = await ok(ann.get('/reports/'))
      const next = await ok(ann.get(page.next.replace(/^https?:\/\/[^/]+/, '')))
      assert.deepEqual(
        [...page.results, ...next.results].map(({ title }) => title),
        ['c', 'b', 'a'],
      )
    })
  },
  { owners: [schema, idempotencyMigrations], migrations: {} },
)
