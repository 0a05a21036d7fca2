// The figures of the administration's home.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { formatDateTime } from 'resource-api'
import { createAuditFigures, maxDayEvents } from '../../src/accounts/audit/audit-figures.ts'
import { auditTables } from '../../src/accounts/audit/audit-table.ts'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

const url = '/admin/figures/'
const minute = 60_000
const day = 24 * 60 * minute
// Each test begins on a later day, so that nothing is cached.
let now = Date.parse('2030-01-15T12:00:00Z')

onEveryDatabase(
  {},
  service => {
    let people: People
    beforeEach(async () => {
      now += 30 * day
      await runInTransaction(service().services, kysely => kysely.deleteFrom('audit_log').execute())
      people = await createPeople(service())
    })

    const read = async (token: string) => {
      const response = await service().client.get(url, { token })
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    interface Event {
      readonly event: string
      readonly outcome?: string
      /** Milliseconds before now. */
      readonly ago: number
    }

    const insertEvents = (events: readonly Event[]) =>
      runInTransaction(service().services, async kysely => {
        const rows = events.map(({ event, outcome = 'failure', ago }) => ({
          event,
          outcome,
          created: formatDateTime(new Date(now - ago))!,
          target: 'GET /',
        }))
        for (let start = 0; start < rows.length; start += 1000)
          await kysely
            .insertInto('audit_log')
            .values(rows.slice(start, start + 1000))
            .execute()
      })

    test('failed logins and refused requests are counted by day, for fourteen days', async () => {
      await insertEvents([
        { event: 'login', ago: 0 },
        { event: 'token made', ago: 11 * 60 * minute },
        { event: 'login', outcome: 'success', ago: 0 },
        { event: 'login', ago: 13 * 60 * minute },
        { event: 'throttled', ago: 13 * day },
        { event: 'authentication', ago: 13 * day },
        { event: 'permission denied', ago: 13 * day },
        { event: 'login', ago: 14 * day },
      ])
      const { days } = await read(people.root.key)
      const today = new Date(now).toISOString().slice(0, 10)
      assert.equal(days.length, 14)
      assert.deepEqual(
        [days[0].failed_logins, days[0].refused_requests, days[12], days[13]],
        [
          0,
          3,
          { day: new Date(now - day).toISOString().slice(0, 10), failed_logins: 1, refused_requests: 0 },
          { day: today, failed_logins: 2, refused_requests: 0 },
        ],
      )
    })

    test('a flood of events is counted up to a limit', async () => {
      await insertEvents(Array.from({ length: maxDayEvents + 1 }, () => ({ event: 'throttled', ago: 0 })))
      assert.equal((await read(people.root.key)).days[13].refused_requests, maxDayEvents)
    })

    test('counts are a minute old at most, and the last ten changes are those of now', async () => {
      const { client } = service()
      const token = people.root.key
      const count = async () =>
        (await read(token)).counts.find(({ resource }: { resource: string }) => resource === 'groups')
      assert.deepEqual(await count(), { resource: 'groups', count: 2, has_more: false })
      for (let number = 0; number < 11; number++)
        await client.post('/admin/groups/', { token, json: { name: `group ${number}` } })
      assert.equal((await count()).count, 2)
      const { changes } = await read(token)
      assert.equal(changes.length, 10)
      const [{ resource, object_name, action, user, changes: values }] = changes
      assert.deepEqual([resource, object_name, action, user], ['groups', 'group 10', 'create', 'root'])
      assert.deepEqual(values.name, { new: 'group 10' })
      now += minute
      assert.equal((await count()).count, 13)
    })

    test('superusers see what check --deploy warns of', async () => {
      const { warnings } = await read(people.root.key)
      assert.ok(warnings.some((warning: string) => warning.startsWith('NODE_ENV: ')))
    })

    test('SVC-3: other staff see only counts, and other callers nothing', async () => {
      const { counts, ...others } = await read(people.stan.key)
      assert.deepEqual(others, { days: null, changes: null, warnings: null })
      const names = counts.map(({ resource }: { resource: string }) => resource)
      assert.ok(names.includes('snippets') && !names.includes('audit-log'))
      assert.equal((await service().client.get(url, { token: people.ann.key })).status, 403)
      assert.equal((await service().client.get(url)).status, 401)
    })
  },
  () => new Date(now),
)

const statements: string[] = []

onEachDatabase(
  () => ({ permissions: [] }),
  api => {
    test('every statement on audit events reads an index, and the last changes are not sorted', async () => {
      const { database } = api()
      const figures = createAuditFigures(database)
      statements.length = 0
      await figures.readDays(new Date(now))
      await figures.readLastChanges()
      const [ofDay, lastChanges] = [statements.at(0)!, statements.at(-1)!]
      assert.deepEqual(new Set(statements), new Set([ofDay, lastChanges]))
      const isSqlite = database.dialect.name === 'sqlite'
      const explain = (text: string) =>
        database.transaction(async connection => {
          const run = (sql: string, parameters: readonly string[] = []) => connection.run({ sql, parameters }, {})
          // PostgreSQL reads a small table without an index.
          if (!isSqlite) await run('set local enable_seqscan = off')
          const bounds = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z']
          const values = text.includes('created >=') ? [...bounds, ...bounds] : ['60']
          return JSON.stringify(await run(`explain ${isSqlite ? 'query plan ' : ''}${text}`, values))
        })
      const plan = await explain(ofDay)
      assert.match(plan, /audit_log_by_event/)
      assert.doesNotMatch(plan, /SCAN audit_log|Seq Scan/)
      const last = await explain(lastChanges)
      assert.match(last, /audit_log_of_changes/)
      assert.doesNotMatch(last, /TEMP B-TREE|Sort/)
    })
  },
  { owners: [auditTables], observe: text => void statements.push(text) },
)
