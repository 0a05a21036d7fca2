// Kinds of clients: the requests of one visit, and the expected statuses.

import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { openBrowser } from '../../support/browser.ts'
import { type Client, connectTo, type RequestOptions, type TestResponse } from '../../support/client.ts'
import { multipart } from '../../support/multipart.ts'
import { password } from './users.ts'

export interface Site {
  readonly client: Client
  /**
   * The tokens of the superuser `admin` and of `other`, a user without special permissions.
   */
  readonly admin: string
  readonly other: string
  /** Paths of snippets that are not deleted. */
  readonly snippets: readonly string[]
  /** The number of responses by status. */
  readonly counts: Map<number, number>
}

/** One visit; throws if a response has an unexpected status. */
export type Visit = (site: Site) => Promise<void>

/** A kind of clients: their number, and the milliseconds between visits. */
export interface Callers {
  readonly visit: Visit
  readonly count: number
  readonly pause: number
}

const [users, groups, snippets] = ['/directory/users/', '/directory/groups/', '/snippet/snippets/']
const html = { accept: 'text/html' }
const languages = ['python', 'rust', 'typescript', 'json', 'markdown', 'sql', 'text', 'go']

async function ask(
  { client, counts }: Site,
  expected: number,
  method: string,
  path: string,
  options?: RequestOptions,
): Promise<TestResponse> {
  const answer = await client.request(method, path, options)
  counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
  assert.equal(answer.status, expected, `${method} ${path}: ${answer.text.slice(0, 300)}`)
  return answer
}

const pickRandom = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)]!
const readLocation = ({ headers }: TestResponse): string => new URL(headers.location!).pathname

const createCode = (lines: number): string =>
  Array.from({ length: lines }, () => `print("${randomUUID()} — ünïcode") # ${randomInt(1e9)}`).join('\n')

const readAnonymously: Visit = async site => {
  const path = pickRandom(site.snippets)
  await ask(site, 200, 'GET', '/')
  await ask(site, 200, 'GET', snippets)
  await ask(site, 200, 'GET', path)
  assert.match((await ask(site, 200, 'GET', `${path}highlight/`)).text, /<\/html>\n$/)
  await ask(site, 200, 'GET', '/snippet/users/')
  await ask(site, 200, 'GET', '/healthz')
}

const readPages: Visit = async site => {
  for (const path of ['/', snippets, pickRandom(site.snippets)])
    assert.match((await ask(site, 200, 'GET', path, { headers: html })).text, /<\/html>\s*$/)
  await ask(site, 401, 'GET', users, { headers: html })
  await ask(site, 200, 'GET', `${users}?page=2`, { headers: html, token: site.admin })
}

const writeSnippets: Visit = async site => {
  const token = site.other
  const json = {
    title: randomUUID(),
    code: createCode(randomInt(1, 80)),
    language: pickRandom(languages),
    linenos: true,
  }
  const made = await ask(site, 201, 'POST', snippets, { token, json })
  const path = readLocation(made)
  assert.equal((await ask(site, 200, 'GET', path)).json().code, json.code)
  await ask(site, 200, 'GET', `${path}highlight/`)
  await ask(site, 200, 'PATCH', path, { token, json: { title: 'changed' } })
  await ask(site, 200, 'PUT', path, { token, json: { ...json, language: pickRandom(languages) } })
  await ask(site, 204, 'DELETE', path, { token })
  await ask(site, 404, 'GET', path)
}

const administer: Visit = async site => {
  const token = site.admin
  const group = (await ask(site, 201, 'POST', groups, { token, json: { name: randomUUID() } })).json().url as string
  const json = { username: randomUUID(), email: 'a@example.com', groups: [group] }
  const path = readLocation(await ask(site, 201, 'POST', users, { token, json }))
  await ask(site, 200, 'GET', `${users}?page=${randomInt(1, 3)}`, { token })
  await ask(site, 200, 'PATCH', path, { token, json: { groups: [] } })
  await ask(site, 204, 'DELETE', path, { token })
  await ask(site, 204, 'DELETE', new URL(group).pathname, { token })
}

const useSession: Visit = async site => {
  const browser = openBrowser(site.client)
  await browser.logIn('other')
  assert.equal((await browser.get(users, { headers: html })).status, 200)
  const made = await browser.send('POST', snippets, multipart({ title: 'of a form', code: createCode(3) }))
  assert.equal(made.status, 201, made.text)
  assert.equal((await browser.request('DELETE', readLocation(made))).status, 403)
  assert.equal((await browser.send('DELETE', readLocation(made))).status, 204)
  await browser.logOut()
}

const logIn: Visit = async site => {
  const token = '/api-token-auth/'
  await ask(site, 200, 'POST', token, { json: { username: 'other', password } })
  await ask(site, 400, 'POST', token, { json: { username: randomUUID(), password } })
  await ask(site, 200, 'GET', users, { basic: `other:${password}` })
}

const sendRejected: Visit = async site => {
  const path = pickRandom(site.snippets)
  await ask(site, 401, 'GET', users)
  await ask(site, 401, 'GET', users, { token: 'f'.repeat(40) })
  await ask(site, 401, 'POST', snippets, { json: { code: 'x' } })
  await ask(site, 403, 'DELETE', path, { token: site.other })
  await ask(site, 404, 'GET', `/${randomUUID()}/`)
  await ask(site, 404, 'GET', `${snippets}${randomInt(1e9, 2e9)}/`)
  await ask(site, 405, 'DELETE', snippets, { token: site.other })
  await ask(site, 406, 'GET', path, { headers: { accept: 'image/png' } })
  await ask(site, 415, 'POST', snippets, { token: site.other, headers: { 'content-type': 'text/plain' }, body: 'x' })
  await ask(site, 200, 'OPTIONS', snippets)
}

const sendNonsense: Visit = async site => {
  const token = site.other
  const send = (body: string | Buffer) =>
    ask(site, 400, 'POST', snippets, { token, headers: { 'content-type': 'application/json' }, body })
  for (const body of ['', '{"code": ', '[]', '{"code": 1e400}', '{"code": "\\u0000"}', '{"code": "\\ud800"}'])
    await send(body)
  await send(Buffer.from([0x7b, 0xff, 0xfe]))
  await send('['.repeat(10_000))
  await send(`{"__proto__": ${'{"constructor": '.repeat(100)}`)
  await ask(site, 400, 'POST', snippets, {
    token,
    json: { code: 'x', language: '__proto__', style: 5, linenos: 'maybe' },
  })
  await ask(site, 404, 'GET', `${users}?page=99999999999999999999`, { token: site.admin })
  await ask(site, 404, 'GET', `${snippets}9007199254740993/`)
}

const upload: Visit = async site => {
  const token = site.other
  const code = createCode(5000)
  const path = readLocation(await ask(site, 201, 'POST', snippets, { token, ...multipart({ title: 'large', code }) }))
  assert.equal((await ask(site, 200, 'GET', path)).json().code, code)
  await ask(site, 204, 'DELETE', path, { token })
  const headers = { 'content-type': 'application/json' }
  await ask(site, 413, 'POST', snippets, { token, headers, body: Buffer.alloc(5_000_000, 'x') })
}

// Opens a connection for one request, one that is closed in the middle of a request, and one that does not read the
// response.
const useShortConnections: Visit = async site => {
  const { host, hostname, port } = new URL(site.client.origin)
  const head = `GET ${snippets} HTTP/1.1\r\nHost: ${host}\r\n`
  for (const bytes of [`${head}Connection: close\r\n\r\n`, head, `${head}\r\n`]) {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    socket.write(bytes)
    if (bytes.includes('close')) await once(socket.resume(), 'close')
    else if (bytes === head) await once(socket, 'connect')
    else await once(socket, 'data')
    socket.destroy()
  }
}

export const callers: readonly Callers[] = [
  { visit: readAnonymously, count: 3, pause: 30 },
  { visit: readPages, count: 1, pause: 100 },
  { visit: writeSnippets, count: 3, pause: 50 },
  { visit: administer, count: 1, pause: 50 },
  { visit: useSession, count: 1, pause: 500 },
  { visit: logIn, count: 1, pause: 500 },
  { visit: sendRejected, count: 2, pause: 50 },
  { visit: sendNonsense, count: 1, pause: 50 },
  { visit: upload, count: 1, pause: 500 },
  { visit: useShortConnections, count: 2, pause: 20 },
]

/** Creates content on the service, and returns the site. */
export async function openSite(origin: string, admin: string, other: string): Promise<Site> {
  const site: Site = { client: connectTo(origin), admin, other, snippets: [], counts: new Map() }
  const made: string[] = []
  for (let number = 0; number < 30; number++) {
    const json = { title: `snippet ${number}`, code: createCode(20), language: pickRandom(languages) }
    made.push(readLocation(await ask(site, 201, 'POST', snippets, { token: admin, json })))
    await ask(site, 201, 'POST', users, { token: admin, json: { username: `user-${number}` } })
  }
  return { ...site, snippets: made }
}
