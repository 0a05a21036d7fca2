// A slow database with a small connection pool: locks that another session holds, and statements that do not end.
//
// This test has failed without a time limit for statements on the server (`statement_timeout` in
// src/core/database/postgres/postgres-pool.ts).

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { defineFault } from './fault.ts'
import { type Answer, type HttpClient, openClient } from './support/http.ts'
import { type OwnPostgres, startOwnPostgres } from './support/postgres.ts'
import { formatProbe, type ProbeResult, startProbe } from './support/probe.ts'
import { startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

const postgres = { poolSize: 4, maxWaiting: 40, connectionTimeout: 1000, lockTimeout: 2000, statementTimeout: 3000 }
/** Milliseconds. The slowest request waits for a connection to look up the token, 5 s for other changes of the same object, two
 * more connections to read and change it, and the slowest statement.
 */
const bounds = { answer: 3 * 1000 + 5000 + 3000 + 3000, recovery: 2000, other: { p99: 250, max: 2000 } }
const callers = 100

interface Setting {
  readonly server: OwnPostgres
  readonly client: HttpClient
  readonly origin: string
  readonly token: string
  /** The path of a snippet. */
  readonly path: string
}

/** SQL that blocks the database until `end` undoes it, on a separate connection. */
interface Trouble {
  readonly name: string
  readonly begin: string
  readonly end: string
  /** Sends a request that has to wait; `status` is its status before and afterwards. */
  readonly ask: (setting: Setting) => Promise<Answer>
  readonly status: number
}

const snippet = { title: 'slow', code: 'x = 1', language: 'python' }
const lists = ({ client }: Setting) => client.get('/snippet/snippets/')
const changes = ({ client, path, token }: Setting) => client.ask('PUT', path, { token, json: snippet })
const creates = ({ client, token }: Setting) => client.ask('POST', '/snippet/snippets/', { token, json: snippet })

const troubles: readonly Trouble[] = [
  {
    name: 'a locked table',
    begin: 'begin; lock table snippets in access exclusive mode',
    end: 'rollback',
    ask: lists,
    status: 200,
  },
  {
    name: 'a locked row',
    begin: 'begin; select from snippets for update',
    end: 'rollback',
    ask: changes,
    status: 200,
  },
  {
    name: 'statements that do not end',
    begin: `
      create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(3600); return new; end';
      create trigger wait before insert on snippets for each row execute function wait()`,
    end: 'drop trigger wait on snippets; drop function wait()',
    ask: creates,
    status: 201,
  },
]

export default defineFault({
  name: 'exhausted pool and slow queries',
  promise:
    'Requests that would wait too long get 503 with `Retry-After` within the timeouts, other requests are not delayed, and the service recovers as soon as the database does.',
  // Milliseconds that each trouble lasts.
  scale: { full: { duration: 6000 }, short: { duration: 4000 } },
  async run({ duration }) {
    const server = await startOwnPostgres()
    const [token] = await createUsers(server.url, { username: 'author', superuser: true })
    const service = await startService({ databaseUrl: server.url, config: { postgres } })
    const client = openClient(service.origin, { timeout: bounds.answer })
    const made = await client.ask('POST', '/snippet/snippets/', { token: token!, json: snippet })
    const path = new URL(made.headers.location!).pathname
    const setting = { server, client, token: token!, path, origin: service.origin }
    const findings: string[] = []
    for (const trouble of troubles) findings.push(`${trouble.name}: ${await checkTrouble(setting, trouble, duration)}`)
    client.close()
    const { code, stderr } = await service.stop()
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /unhandled|rejection/i)
    await server.stop()
    return `${callers} callers, ${postgres.poolSize} connections. ${findings.join('; ')}`
  },
})

async function checkTrouble(
  setting: Setting,
  { name, begin, end, ask, status }: Trouble,
  duration: number,
): Promise<string> {
  const { server, origin } = setting
  assert.equal((await ask(setting)).status, status, name)
  const other = new pg.Client({ connectionString: server.url })
  await other.connect()
  await other.query(begin)
  // Requests that do not use the database, or are rejected earlier.
  const paths = { '/healthz': [200], '/': [200], '/directory/users/': [401], [await stylesheet(setting)]: [200] }
  const probe = await startProbe({ origin, paths, timeout: bounds.answer })
  const load = startLoad(() => ask(setting))
  await delay(duration)
  const connections = await checkConnections(server)
  const seen = await probe.stop()
  const { refused, longest } = await load.stop()
  await other.query(end)
  const start = performance.now()
  const answers = async () => (await ask(setting)).status === status
  await until(`${name} is over, and requests succeed again`, answers, { within: bounds.recovery, pause: 5 })
  const recovery = performance.now() - start
  await other.end()
  await until('every connection is idle', async () => (await listStates(server)).every(state => state === 'idle'))
  const finding = `${refused} rejected, the slowest after ${longest.toFixed(0)} ms; other requests: ${formatProbe(seen)}; recovered ${recovery.toFixed(0)} ms after it was over; ${connections} connections`
  checkOthers(seen, finding)
  assert.ok(refused > callers / 2, finding)
  return finding
}

function checkOthers({ failures, judged }: ProbeResult, finding: string): void {
  assert.deepEqual(failures, [])
  assert.ok(judged.p99 < bounds.other.p99, finding)
  assert.ok(judged.max < bounds.other.max, finding)
}

// Returns the path of the style sheet, which contains its version.
async function stylesheet({ client }: Setting): Promise<string> {
  const { text } = await client.get('/', { headers: { accept: 'text/html' } })
  const [, path] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
  assert.ok(path !== undefined, 'the page has a style sheet')
  return new URL(path, 'http://localhost').pathname
}

/** Starts clients that repeat a rejected request after 100 ms, earlier than `Retry-After` says. */
function startLoad(ask: () => Promise<Answer>) {
  let [isStopped, refused, longest] = [false, 0, 0]
  const failures: Error[] = []
  const call = async () => {
    while (!isStopped && failures.length === 0) {
      const { status, text, headers, milliseconds } = await ask()
      assert.equal(status, 503, text)
      assert.match(headers['retry-after'] ?? '', /^\d+$/)
      assert.equal(typeof JSON.parse(text).detail, 'string')
      refused++
      longest = Math.max(longest, milliseconds)
      await delay(100)
    }
  }
  const ended = Promise.all(Array.from({ length: callers }, () => call().catch(error => failures.push(error as Error))))
  return {
    async stop() {
      isStopped = true
      await ended
      if (failures.length > 0) throw failures[0]
      return { refused, longest }
    },
  }
}

async function checkConnections(server: OwnPostgres): Promise<number> {
  const { length } = await listStates(server)
  assert.ok(length > 0 && length <= postgres.poolSize, `${length} connections`)
  return length
}

async function listStates(server: OwnPostgres): Promise<readonly unknown[]> {
  const rows = await server.query("select state from pg_stat_activity where application_name = 'resource-api'")
  return rows.map(({ state }) => state)
}
