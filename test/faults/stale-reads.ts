// Clients read what others change, from two workers. Responses are cached until the next commit, so each response is compared with
// what had been acknowledged when its request was sent.
//
// This test has failed with each of these defects: `version` of the SQLite dialect as a constant, and owners of tokens that are kept
// (src/accounts/tokens/single-tokens.ts).

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { type HttpClient, openClient } from './support/http.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { newFolder, startService } from './support/service.ts'
import { createUsers } from './support/users.ts'

const [snippets, users] = ['/snippet/snippets/', '/directory/users/']
const html = { accept: 'text/html' }
const objectCount = 8
const readerCount = 24

export default defineFault({
  name: 'reads from two workers while others write',
  promise:
    'A response never shows less than what was acknowledged before its request was sent, in objects, lists, counts, pages, conditional requests and rights.',
  scale: { full: { requests: 200_000 }, short: { requests: 3000 } },
  async run({ requests }) {
    const onSqlite = await readWhileWriting(`sqlite:${await newFolder()}/service.db`, requests)
    const postgres = await startOwnPostgres()
    const onPostgres = await readWhileWriting(postgres.url, requests)
    await postgres.stop()
    return `SQLite: ${onSqlite}; PostgreSQL: ${onPostgres}`
  },
})

async function readWhileWriting(databaseUrl: string, requests: number): Promise<string> {
  const tokens = await createUsers(databaseUrl, { username: 'admin', superuser: true }, { username: 'other' })
  const service = await startService({ databaseUrl, args: ['--workers', '2'] })
  const client = openClient(service.origin)
  const site: Site = { client, admin: tokens[0]!, other: tokens[1]!, reads: 0, writes: 0, isDone: false }
  const objects = await createObjects(site)
  const extra = { begun: 0, made: 0, deleting: 0, deleted: 0 }
  const caller = { isActive: true, changes: 0 }
  const reads = createReads(site, objects, extra, caller)
  const writers = [...objects.map(object => change(site, object)), changeCount(site, extra), changeRights(site, caller)]
  const read = async () => {
    while (!site.isDone && site.reads < requests) {
      await reads[Math.floor(reads.length * Math.random())]!()
      site.reads++
    }
  }
  const work = Promise.all(Array.from({ length: readerCount }, read)).finally(() => {
    site.isDone = true
  })
  await Promise.all([work, ...writers])
  client.close()
  assert.equal((await service.stop()).code, 0)
  return `${site.reads} reads, none older than the ${site.writes} writes that were acknowledged before them`
}

interface Site {
  readonly client: HttpClient
  readonly admin: string
  readonly other: string
  reads: number
  writes: number
  isDone: boolean
}

/** An object whose title or email address has the number of the write. */
interface Changed {
  readonly path: string
  readonly name: 'title' | 'email'
  acknowledged: number
  /** The representation that was read last, and the number in it. */
  last: { readonly etag: string; readonly number: number }
}

async function createObjects(site: Site): Promise<readonly Changed[]> {
  const objects: Changed[] = []
  for (let index = 0; index < objectCount; index++) {
    const isSnippet = index % 2 === 0
    const json = isSnippet
      ? { title: formatValue(0), code: 'x' }
      : { username: `user${index}`, email: formatValue(0), groups: [] }
    const { headers } = await send(site, 'POST', isSnippet ? snippets : users, json)
    const name = isSnippet ? 'title' : 'email'
    objects.push({ path: new URL(headers.location!).pathname, name, acknowledged: 0, last: { etag: '', number: 0 } })
  }
  return objects
}

async function send({ client, admin }: Site, method: string, path: string, json?: unknown) {
  const answer = await client.ask(method, path, { token: admin, ...(json !== undefined && { json }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer
}

/** Repeats a write, with pauses in which responses are cached. */
async function repeat(site: Site, write: () => Promise<unknown>): Promise<void> {
  while (!site.isDone) {
    await write()
    site.writes++
    await delay(100 * Math.random())
  }
}

const change = (site: Site, object: Changed): Promise<void> =>
  repeat(site, async () => {
    const next = object.acknowledged + 1
    await send(site, 'PATCH', object.path, { [object.name]: formatValue(next) })
    object.acknowledged = next
  })

/** Further snippets: those that were begun and made, and those whose deletion was begun and done. */
interface Extra {
  begun: number
  made: number
  deleting: number
  deleted: number
}

async function changeCount(site: Site, extra: Extra): Promise<void> {
  await repeat(site, async () => {
    extra.begun++
    const { headers } = await send(site, 'POST', snippets, { title: 'extra', code: 'x' })
    extra.made++
    await delay(50 * Math.random())
    extra.deleting++
    await send(site, 'DELETE', new URL(headers.location!).pathname)
    extra.deleted++
  })
}

/** Whether a caller may log in; `changes` counts the beginnings and the ends of changes. */
interface Caller {
  isActive: boolean
  changes: number
}

const changeRights = (site: Site, caller: Caller): Promise<void> =>
  repeat(site, async () => {
    caller.changes++
    await send(site, 'PATCH', '/admin/users/2/', { is_active: !caller.isActive })
    caller.isActive = !caller.isActive
    caller.changes++
  })

/** The kinds of reads; those that are listed several times are as much more frequent. */
function createReads(site: Site, objects: readonly Changed[], extra: Extra, caller: Caller) {
  const any = () => objects[Math.floor(objects.length * Math.random())]!
  const object = () => readObject(site, any())
  const again = () => readAgain(site, any())
  const lists = [snippets, users].map(path => () => readListed(site, path, objects))
  const page = () => readPage(site, any())
  return [
    ...Array.from({ length: 12 }, () => object),
    ...Array.from({ length: 8 }, () => again),
    ...Array.from({ length: 6 }, () => lists).flat(),
    ...Array.from({ length: 6 }, () => () => readCount(site, extra)),
    ...Array.from({ length: 6 }, () => () => readRights(site, caller)),
    page,
  ]
}

async function readObject({ client, admin }: Site, object: Changed): Promise<void> {
  const known = object.acknowledged
  const { status, headers, text, json } = await client.get(object.path, { token: admin })
  assert.equal(status, 200, text)
  const number = readNumber(json()[object.name])
  assertFresh(number, known, object.path)
  object.last = { etag: headers.etag!, number }
}

async function readAgain({ client, admin }: Site, object: Changed): Promise<void> {
  const { acknowledged: known, last } = object
  const headers = { 'if-none-match': last.etag === '' ? '"none"' : last.etag }
  const { status, text, json } = await client.get(object.path, { token: admin, headers })
  assert.ok(status === 200 || status === 304, text)
  assertFresh(status === 304 ? last.number : readNumber(json()[object.name]), known, `${object.path}: ${status}`)
}

async function readListed({ client, admin }: Site, path: string, objects: readonly Changed[]): Promise<void> {
  const own = objects.filter(object => object.path.startsWith(path))
  const known = own.map(({ acknowledged }) => acknowledged)
  const { status, text, json } = await client.get(path, { token: admin })
  assert.equal(status, 200, text)
  const body = json()
  const items = (Array.isArray(body) ? body : body.results) as readonly Readonly<Record<string, unknown>>[]
  for (const [index, object] of own.entries()) {
    const item = items.find(({ url, id }) => String(url ?? `${path}${id}/`).endsWith(object.path))
    assertFresh(readNumber(item?.[object.name]), known[index]!, `${object.path} in ${path}`)
  }
}

async function readCount({ client, admin }: Site, extra: Extra): Promise<void> {
  const before = { ...extra }
  const { status, text, json } = await client.get('/admin/snippets/', { token: admin })
  assert.equal(status, 200, text)
  const count = json().count - objectCount / 2
  const [least, most] = [before.made - extra.deleting, extra.begun - before.deleted]
  assert.ok(count >= least && count <= most, `the list counts ${count} further snippets, of ${least} to ${most}`)
}

async function readRights({ client, other }: Site, caller: Caller): Promise<void> {
  const before = { ...caller }
  const { status, text } = await client.get(users, { token: other })
  // While they change, both are right.
  if (before.changes % 2 === 1 || caller.changes !== before.changes) return
  assert.equal(status, before.isActive ? 200 : 401, `an ${before.isActive ? 'active' : 'inactive'} caller: ${text}`)
}

async function readPage({ client, admin }: Site, object: Changed): Promise<void> {
  const known = object.acknowledged
  const { status, text } = await client.get(object.path, { token: admin, headers: html })
  assert.equal(status, 200, text)
  const numbers = [...text.matchAll(/\bt-(\d+)@/g)].map(([, number]) => Number(number))
  assert.ok(numbers.length > 0, `${object.path} shows no title`)
  assertFresh(Math.min(...numbers), known, `the page of ${object.path}`)
}

const formatValue = (number: number): string => `t-${number}@example.org`

const readNumber = (value: unknown): number => Number(/^t-(\d+)@/.exec(String(value))?.[1])

function assertFresh(number: number, known: number, where: string): void {
  assert.ok(number >= known, `${where} shows write ${number}, but ${known} was acknowledged before`)
}
