// The log describes each failure without secrets: credentials, bodies, query strings and values in database errors.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  basicScheme,
  createApi,
  type Database,
  type Identity,
  type Migrations,
  migrate,
  openDatabase,
  resource,
  text,
  tokenScheme,
  writeOnly,
} from 'resource-api'
import { accessLog, requestIds, serverOptions } from 'resource-api/server'
import { type Client, injectClient } from '../support/client.ts'
import { createDatabase, createFile } from '../support/service.ts'

const secrets = {
  token: 'tok3n-0123456789',
  password: 'p4ss"word\'; é\n',
  cookie: 'c00kie-abcdef',
  csrf: 'csrf-t0ken-abcdef',
  cursor: 'cUrs0r-abcdef',
  pin: 'p1n-of-the-b0dy',
  stored: 'st0red-in-the-row',
}

const ann: Identity & { isActive: boolean } = {
  isAuthenticated: true,
  id: 7,
  username: 'ann',
  isStaff: false,
  isActive: true,
}

const failures: Readonly<Record<string, (values: object, database: Database) => unknown>> = {
  body(values) {
    throw new Error(`could not save ${JSON.stringify(values)}`, { cause: new Error(String(Object.values(values))) })
  },
  properties(values) {
    throw Object.assign(new Error('refused'), values, { body: values, request: { headers: secrets } })
  },
  object(values) {
    throw values
  },
  // The database error contains the values of the row.
  'database values': (values, database) =>
    database.transaction(({ kysely }) =>
      kysely
        .insertInto('things')
        .values({ ...values, size: -1 })
        .execute(),
    ),
  'database name': (values, { kysely }) =>
    sql`select * from ${sql.table((values as { pin: string }).pin)} where x = ${secrets.stored}`.execute(kysely),
}

/** The expected log entry of each failure: message and code. */
const expectedMessages: Readonly<Record<string, RegExp>> = {
  body: /^could not save \{"name":"\[…\]","pin":"\[…\]","password":"\[…\]"\}/,
  properties: /^refused /,
  object: /^\(the thrown value is not an Error, and is not shown\)/,
  'database values': /CHECK constraint|violates check constraint "things_size_check"/,
  'database name': /no such table: \[…\]|relation "\[…\]" does not exist 42P01/,
}

for (const [name, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const) {
  suite(name, () => {
    const lines: string[] = []
    let client: Client
    let stop: () => Promise<void>

    before(async () => {
      const storage = await createStorage()
      const database = openDatabase(storage.url)
      const steps: Migrations = {
        async '0001'(kysely, { key, text: textColumn }) {
          await kysely.schema
            .createTable('things')
            .addColumn('id', key)
            .addColumn('name', textColumn)
            .addColumn('pin', textColumn)
            .addColumn('password', textColumn)
            .addColumn('stored', textColumn, column => column.defaultTo(secrets.stored))
            .addColumn('size', 'integer', column => column.check(sql`size > 0`))
            .execute()
        },
      }
      await migrate(database, [{ owner: 'things', steps }])
      const things = resource('things', {
        table: 'things',
        fields: {
          name: text(),
          pin: text(),
          password: writeOnly(text({ multiline: true, trim: false })),
        },
        prepare: async ({ values }) => {
          await failures[values.name as string]?.(values, database)
          return {}
        },
      })
      const app = Fastify(serverOptions({ logLevel: 'trace', log: { write: line => lines.push(line) } }))
      app.register(requestIds)
      app.register(accessLog)
      const authentication = [
        tokenScheme({ find: async key => (key === secrets.token ? { user: ann, token: key } : undefined) }),
        basicScheme({ verify: async (_, password) => (password === secrets.password ? ann : undefined) }),
      ]
      await app.register(createApi({ database, resources: [things], authentication }))
      client = injectClient(app)
      stop = async () => {
        await app.close()
        await database.close()
        await storage.remove()
      }
    })
    after(() => stop())

    /** Sends a request, asserts that the log contains no secret, and returns the log records. */
    async function readLog(body: Parameters<Client['post']>[1], headers: Record<string, string>, status: number) {
      lines.length = 0
      const fields = { ...headers, cookie: `sessionid=${secrets.cookie}; a=b`, 'x-csrftoken': secrets.csrf }
      const path = `/things/?cursor=${secrets.cursor}&token=${secrets.token}`
      const response = await client.post(path, { ...body, headers: fields })
      assert.equal(response.status, status, response.text)
      const log = lines.join('')
      for (const [secretName, secret] of Object.entries(secrets))
        for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
          assert.ok(!log.includes(form), `${secretName} in ${log}`)
      return lines.map(line => JSON.parse(line))
    }

    const token = { authorization: `Token ${secrets.token}` }

    test('a failure is logged with its stack and the request id', async () => {
      for (const failure of Object.keys(failures)) {
        const { pin, password } = secrets
        const record = { name: failure, pin, password }
        for (const body of [{ json: record }, { form: record }]) {
          const [error, access] = await readLog(body, token, 500)
          assert.equal(error.msg, 'unhandled exception')
          assert.equal(error.level, 50)
          assert.equal(error.reqId, access.reqId)
          assert.match(`${error.err.message} ${error.err.code}`, expectedMessages[failure]!)
          if (failure !== 'object') assert.match(error.err.stack, /\n {4}at /)
        }
      }
    })

    test('each successful or refused request is logged in one line', async () => {
      const { pin, password } = secrets
      const basic = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
      for (const [headers, json, status, user] of [
        [token, { name: 'x', pin, password }, 201, 7],
        [token, { name: ['x'], pin, password }, 400, 7],
        [{ authorization: basic }, { name: 'x', pin, password }, 201, 7],
        [{ authorization: `Token ${secrets.token}x` }, { name: 'x', pin, password }, 401, null],
        [{ authorization: `${basic}x` }, { name: 'x', pin, password }, 401, null],
      ] as const) {
        const [line, ...furtherLines] = await readLog({ json }, headers, status)
        assert.deepEqual(furtherLines, [])
        const { reqId, milliseconds, time: _, pid: __, hostname: ___, level: ____, ...fields } = line
        assert.deepEqual(fields, {
          msg: 'request',
          method: 'POST',
          path: '/things/',
          status,
          user,
          address: '127.0.0.1',
        })
        assert.match(reqId, /^[\w-]{13,}$/)
        assert.ok(milliseconds > 0)
      }
    })
  })
}
