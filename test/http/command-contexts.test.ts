// Commands call actions without a request, with the context of `createContext`.

import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import {
  anonymous,
  authenticated,
  type CallContext,
  createApi,
  createContext,
  type Database,
  type HookContext,
  hyperlinkedIdentity,
  type Identity,
  ignorePermissions,
  key,
  type Migrations,
  migrate,
  NotAuthenticated,
  NotFound,
  openDatabase,
  type Permission,
  related,
  resource,
  text,
  ValidationError,
} from 'resource-api'
import { people, userScheme } from '../support/own-api.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'

const migrations: Migrations = {
  async '0001_notes'({ schema }, { key, reference, text }) {
    await schema
      .createTable('folders')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('owner_id', sql`integer`)
      .execute()
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('text', text, column => column.notNull())
      .addColumn('folder_id', reference, column => column.references('folders.id'))
      .execute()
  },
}

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = cast(${value('caller')} as integer)`,
    values: ({ user }) => ({ caller: user.id }),
  },
}

const folders = resource('folders', {
  table: 'folders',
  permissions: [authenticated, ownRows],
  fields: { url: hyperlinkedIdentity(), name: text() },
  hookColumns: ['owner_id'],
  prepare: ({ action, user }) => (action === 'create' ? { owner_id: user.id } : {}),
})

let seen: Partial<HookContext> | undefined

const notes = resource('notes', {
  table: 'notes',
  permissions: [authenticated],
  fields: {
    id: key(),
    text: text({ max: 20 }),
    folder: related(folders, { column: 'folder_id', nullable: true, form: 'url' }),
  },
  async beforeSave(context) {
    seen = context
    if (context.values.text === 'filed') await folders.create({ name: 'new' }, context)
  },
})

/** Its permission reads a header, which a command does not have. */
const guarded = resource('guarded', {
  table: 'notes',
  permissions: [{ allows: ({ request }) => request.headers['x-key'] === 'a' }],
  fields: { text: text() },
})

const other = resource('others', { table: 'notes', fields: { text: text() } })

const ann: Identity = people.ann
const bob: Identity = people.bob

for (const [name, create] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const satisfies readonly (readonly [string, () => Promise<Storage>])[])
  suite(name, () => {
    let storage: Storage
    let database: Database
    let app: FastifyInstance

    before(async () => {
      storage = await create()
      database = openDatabase(storage.url)
      await migrate(database, [{ owner: 'notes', steps: migrations }])
      app = Fastify()
      await app.register(createApi({ database, authentication: [userScheme], resources: [folders, notes, guarded] }), {
        prefix: '/notes-api',
      })
      await app.register(createApi({ database, resources: [other], publicUrl: 'https://example.org/x' }), {
        prefix: '/other',
      })
      await app.ready()
    })

    after(async () => {
      await app.close()
      await database.close()
      await storage.remove()
    })

    let asAnn: CallContext
    beforeEach(() => {
      asAnn = createContext(app, { user: ann, api: '/notes-api/' })
    })

    const rows = async (table: string) => database.kysely.selectFrom(table).selectAll().execute()
    const rejection = (call: Promise<unknown>): Promise<Error> =>
      call.then(
        () => assert.fail('the call succeeded'),
        error => error,
      )

    test('a command acts as its user: permissions and row filters hold', async () => {
      const { key: folder, values } = await folders.create({ name: 'Work' }, asAnn)
      assert.deepEqual(values, { url: `http://localhost/notes-api/folders/${folder}/`, name: 'Work' })
      const note = await notes.create({ text: 'A', folder: values.url }, asAnn)
      assert.deepEqual(note.values, { id: note.key, text: 'A', folder: values.url })
      const asBob = createContext(app, { user: bob, api: '/notes-api/' })
      assert.ok((await rejection(folders.update(folder, { name: 'B' }, asBob))) instanceof NotFound)
      assert.ok((await rejection(notes.create({ text: 'B', folder: values.url }, asBob))) instanceof ValidationError)
      const asNobody = createContext(app, { user: anonymous, api: '/notes-api/' })
      assert.ok((await rejection(notes.create({ text: 'C' }, asNobody))) instanceof NotAuthenticated)
    })

    test('ignorePermissions lets a command act as the system', async () => {
      const { key: folder, values } = await folders.create({ name: 'Home' }, asAnn)
      const system = ignorePermissions(createContext(app, { user: anonymous, api: '/notes-api/' }))
      assert.equal((await folders.update(folder, { name: 'House' }, system)).values.name, 'House')
      assert.equal((await notes.create({ text: 'filed', folder: values.url }, system)).values.folder, values.url)
      assert.ok((await rejection(notes.create({ text: 'a text that is too long' }, system))) instanceof ValidationError)
      await folders.destroy((await folders.create({ name: 'Gone' }, system)).key, system)
      assert.ok(!(await rows('folders')).some(row => row.name === 'Gone'))
    })

    test('hooks get no request, and join the transaction of the command', async () => {
      const count = (await rows('notes')).length
      const attempt = database.transaction(async connection => {
        await notes.create({ text: 'filed' }, { ...asAnn, connection })
        throw new Error('undone')
      })
      await assert.rejects(attempt, /undone/)
      assert.equal((await rows('notes')).length, count)
      const { request, parameters, user, baseUrl, view } = seen!
      assert.deepEqual([request, parameters, user, baseUrl], [undefined, undefined, ann, 'http://localhost/notes-api'])
      assert.equal(view!.id, 'notes-list')
    })

    test('a permission that reads the request is an Error that says so', async () => {
      const { message } = await rejection(guarded.create({ text: 'A' }, asAnn))
      assert.match(
        message,
        /guarded\.create\(\) was called without a request, but a permission, .* reads "request\.headers"/,
      )
    })

    test('URLs begin with the public URL, if there is one', async () => {
      const { view, baseUrl } = createContext(app, { user: ann, api: '/other/' })
      assert.deepEqual([view.root, baseUrl], ['/x/other', 'https://example.org/x/other'])
    })

    test('a context of the wrong API, of none, or of several is an Error that names the fix', () => {
      assert.throws(
        () => createContext(app, { user: ann }),
        /several APIs: set "api" to one of "\/notes-api\/", "\/other\/"/,
      )
      assert.throws(() => createContext(app, { user: ann, api: '/x/' }), /no API "\/x\/": write one of "\/notes-api\/"/)
      assert.throws(() => createContext(Fastify(), { user: ann }), /the server has no API: register createApi\(\)/)
    })

    test('a call before the server is ready is an Error', async () => {
      const early = Fastify()
      await early.register(createApi({ database, resources: [other] }))
      const context = createContext(early, { user: ann })
      assert.match((await rejection(other.create({ text: 'A' }, context))).message, /before "await app\.ready\(\)"/)
      await early.close()
    })

    test('a connection of another database is an Error', async () => {
      const elsewhere = openDatabase('sqlite::memory:')
      const attempt = elsewhere.transaction(connection => notes.create({ text: 'A' }, { ...asAnn, connection }))
      await assert.rejects(attempt, /belongs to another database/)
      await elsewhere.close()
    })
  })
