// All sorts of callers of a service: what each does in one visit, and how it has to be answered.

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
  /** The key of a superuser's token, and of a token of someone who may do little; their names are `admin` and `other`. */
  readonly admin: string
  readonly other: string
  /** Paths of snippets that stay. */
  readonly snippets: readonly string[]
  /** Answers by status. */
  readonly counts: Map<number, number>
}

/** One visit; throws where an answer is not what it has to be. */
export type Visit = (site: Site) => Promise<void>

/** A kind of callers: how many there are, and the milliseconds between their visits. */
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

const oneOf = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)]!
const pathOf = ({ headers }: TestResponse): string => new URL(headers.location!).pathname

const codeOf = (lines: number): string =>
  Array.from({ length: lines }, () => `print("${randomUUID()} — ünïcode") # ${randomInt(1e9)}`).join('\n')

const readAnonymously: Visit = async site => {
  const path = oneOf(site.snippets)
  await ask(site, 200, 'GET', '/')
  await ask(site, 200, 'GET', snippets)
  await ask(site, 200, 'GET', path)
  assert.match((await ask(site, 200, 'GET', `${path}highlight/`)).text, /<\/html>\n$/)
  await ask(site, 200, 'GET', '/snippet/users/')
  await ask(site, 200, 'GET', '/healthz')
}

const readPages: Visit = async site => {
  for (const path of ['/', snippets, oneOf(site.snippets)])
    assert.match((await ask(site, 200, 'GET', path, { headers: html })).text, /<\/html>\s*$/)
  await ask(site, 401, 'GET', users, { headers: html })
  await ask(site, 200, 'GET', `${users}?page=2`, { headers: html, token: site.admin })
}

const writeSnippets: Visit = async site => {
  const token = site.other
  const json = { title: randomUUID(), code: codeOf(randomInt(1, 80)), language: oneOf(languages), linenos: true }
  const made = await ask(site, 201, 'POST', snippets, { token, json })
  const path = pathOf(made)
  assert.equal((await ask(site, 200, 'GET', path)).json().code, json.code)
  await ask(site, 200, 'GET', `${path}highlight/`)
  await ask(site, 200, 'PATCH', path, { token, json: { title: 'changed' } })
  await ask(site, 200, 'PUT', path, { token, json: { ...json, language: oneOf(languages) } })
  await ask(site, 204, 'DELETE', path, { token })
  await ask(site, 404, 'GET', path)
}

const administer: Visit = async site => {
  const token = site.admin
  const group = (await ask(site, 201, 'POST', groups, { token, json: { name: randomUUID() } })).json().url as string
  const json = { username: randomUUID(), email: 'a@example.com', groups: [group] }
  const path = pathOf(await ask(site, 201, 'POST', users, { token, json }))
  await ask(site, 200, 'GET', `${users}?page=${randomInt(1, 3)}`, { token })
  await ask(site, 200, 'PATCH', path, { token, json: { groups: [] } })
  await ask(site, 204, 'DELETE', path, { token })
  await ask(site, 204, 'DELETE', new URL(group).pathname, { token })
}

const useSession: Visit = async site => {
  const browser = openBrowser(site.client)
  await browser.logIn('other')
  assert.equal((await browser.get(users, { headers: html })).status, 200)
  const made = await browser.send('POST', snippets, multipart({ title: 'of a form', code: codeOf(3) }))
  assert.equal(made.status, 201, made.text)
  assert.equal((await browser.request('DELETE', pathOf(made))).status, 403)
  assert.equal((await browser.send('DELETE', pathOf(made))).status, 204)
  await browser.logOut()
}

const logIn: Visit = async site => {
  const token = '/api-token-auth/'
  await ask(site, 200, 'POST', token, { json: { username: 'other', password } })
  await ask(site, 400, 'POST', token, { json: { username: randomUUID(), password } })
  await ask(site, 200, 'GET', users, { basic: `other:${password}` })
}

const beRefused: Visit = async site => {
  const path = oneOf(site.snippets)
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
  const code = codeOf(5000)
  const path = pathOf(await ask(site, 201, 'POST', snippets, { token, ...multipart({ title: 'large', code }) }))
  assert.equal((await ask(site, 200, 'GET', path)).json().code, code)
  await ask(site, 204, 'DELETE', path, { token })
  const headers = { 'content-type': 'application/json' }
  await ask(site, 413, 'POST', snippets, { token, headers, body: Buffer.alloc(5_000_000, 'x') })
}

// A connection for one request; one that ends in the middle of its request; one that does not wait for its answer.
const comeAndGo: Visit = async site => {
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
  { visit: beRefused, count: 2, pause: 50 },
  { visit: sendNonsense, count: 1, pause: 50 },
  { visit: upload, count: 1, pause: 500 },
  { visit: comeAndGo, count: 2, pause: 20 },
]

/** A site with some content, ready for callers. */
export async function openSite(origin: string, admin: string, other: string): Promise<Site> {
  const site: Site = { client: connectTo(origin), admin, other, snippets: [], counts: new Map() }
  const made: string[] = []
  for (let number = 0; number < 30; number++) {
    const json = { title: `snippet ${number}`, code: codeOf(20), language: oneOf(languages) }
    made.push(pathOf(await ask(site, 201, 'POST', snippets, { token: admin, json })))
    await ask(site, 201, 'POST', users, { token: admin, json: { username: `user-${number}` } })
  }
  return { ...site, snippets: made }
}
