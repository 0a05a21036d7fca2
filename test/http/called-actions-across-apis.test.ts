// A hook calls an action of a resource that another API of the application has: the resource may be written through an API,
// such as the administration, that does not have the resources of its hooks.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type ApiOptions,
  createApi,
  createContext,
  type Database,
  hyperlinkedIdentity,
  integer,
  key,
  type Migrations,
  migrate,
  openDatabase,
  type Permission,
  resource,
  text,
} from 'resource-api'
import { injectClient } from '../support/client.ts'
import { asUser, people, userScheme } from '../support/own-api.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'

const migrations: Migrations = {
  async '0001_issues'({ schema }, { key, reference, text }) {
    await schema
      .createTable('issues')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .execute()
    await schema
      .createTable('history')
      .addColumn('id', key)
      .addColumn('issue_id', reference, column => column.notNull())
      .addColumn('note', text, column => column.notNull())
      .execute()
  },
}

const notBob: Permission = { allows: ({ user }) => user.id !== people.bob.id }

const history = resource('history', {
  table: 'history',
  permissions: [notBob],
  fields: { url: hyperlinkedIdentity(), id: key(), issue: integer({ column: 'issue_id' }), note: text() },
})

let noted: unknown

const issues = resource('issues', {
  table: 'issues',
  fields: { id: key(), title: text() },
  async afterSave(context) {
    const { values } = await history.create({ issue: context.key, note: 'saved' }, context)
    noted = values.url
  },
})

const missing = 'the API "/admin/" has no resource "history", whose action was called'

for (const [name, create] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const)
  suite(name, () => {
    let storage: Storage
    let database: Database
    before(async () => {
      storage = await create()
      database = openDatabase(storage.url)
      await migrate(database, [{ owner: 'issues', steps: migrations }])
    })
    after(async () => {
      await database.close()
      await storage.remove()
    })

    /** Runs with an application of these APIs, by prefix, on the database if they name no other one. */
    async function withApis(
      apis: Readonly<Record<string, ApiOptions>>,
      work: (app: FastifyInstance) => Promise<void>,
    ): Promise<void> {
      const app = Fastify()
      for (const [prefix, options] of Object.entries(apis))
        app.register(createApi({ authentication: [userScheme], database, ...options }), { prefix })
      try {
        await app.ready()
        await work(app)
      } finally {
        await app.close()
      }
    }
    const post = (app: FastifyInstance, user: 'ann' | 'bob') =>
      injectClient(app).post('/admin/issues/', { ...asUser(user), json: { title: 'Leak' } })
    const count = async (table: string) => (await database.kysely.selectFrom(table).select('id').execute()).length

    test('a hook finds the resource in the one other API that has it, with the URLs of that API', () =>
      withApis({ '/admin': { resources: [issues] }, '/api': { resources: [history] } }, async app => {
        const before = await count('history')
        assert.equal((await post(app, 'ann')).status, 201)
        assert.equal(await count('history'), before + 1)
        assert.match(String(noted), /^http:\/\/[^/]+\/api\/history\/\d+\/$/)
      }))

    test('the permissions of that resource hold, and a refusal rolls everything back', () =>
      withApis({ '/admin': { resources: [issues] }, '/api': { resources: [history] } }, async app => {
        const before = [await count('issues'), await count('history')]
        assert.equal((await post(app, 'bob')).status, 403)
        assert.deepEqual([await count('issues'), await count('history')], before)
      }))

    test('the own API comes first, and an API in which the resource has URLs before others', async () => {
      const hidden = { ...history, actions: [] }
      await withApis(
        {
          '/admin': { resources: [issues, hidden] },
          '/api': { resources: [history] },
          '/v2': { resources: [history] },
        },
        async app => assert.equal((await post(app, 'ann')).status, 201),
      )
      await withApis(
        { '/admin': { resources: [issues] }, '/api': { resources: [history] }, '/v2': { resources: [hidden] } },
        async app => {
          assert.equal((await post(app, 'ann')).status, 201)
          assert.match(String(noted), /\/api\/history\//)
        },
      )
    })

    for (const [problem, others, message] of [
      [
        'no API has the resource',
        {},
        `${missing}: add it to "resources" of the API "/admin/"; with "actions: []" it has no URL`,
      ],
      [
        'several APIs have the resource',
        { '/api': { resources: [history] }, '/v2': { resources: [history] } },
        `${missing}, and several others have it ("/api/", "/v2/"): add it to "resources" of the API "/admin/"; with "actions: []" it has no URL`,
      ],
    ] as const satisfies readonly (readonly [string, Record<string, ApiOptions>, string])[])
      test(`an Error names the fix if ${problem}`, () =>
        withApis({ '/admin': { resources: [issues] }, ...others }, async app => {
          const context = createContext(app, { user: people.ann, api: '/admin/' })
          await assert.rejects(issues.create({ title: 'Leak' }, context), { message })
        }))

    test('an Error names the fix if the other API uses another database', async () => {
      const second = openDatabase(storage.url)
      try {
        await withApis(
          { '/admin': { resources: [issues] }, '/api': { resources: [history], database: second } },
          async app =>
            assert.rejects(
              history.create({ issue: 1, note: 'saved' }, createContext(app, { user: people.ann, api: '/admin/' })),
              {
                message: `${missing}, and the API "/api/", which has it, uses another database: create the context with createContext(app, { api: "/api/", … })`,
              },
            ),
        )
      } finally {
        await second.close()
      }
    })
  })
