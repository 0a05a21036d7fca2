// The second opponent: node:http and prepared statements, without a framework. It is shown without goals, because a service
// cannot do less work than this.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { loadHighlighting } from './highlighting.ts'
import { readSnippet } from './new-snippet.ts'
import {
  bodyLimit,
  challenge,
  createIds,
  createValidators,
  details,
  type Fields,
  forList,
  forObject,
  forReadOnlyList,
  type Page,
  parseKey,
  parsePage,
  parseToken,
  serverOptions,
  showPage,
  showSnippet,
  showTitle,
  showUser,
} from './responses.ts'
import { type Account, openStore, type Store, type UserRow } from './store.ts'

/** Creates the server with this SQLite file; its `close` closes the file too. */
export function createBare(path: string): Server {
  const store = openStore(path)
  const nextId = createIds()
  const server = createServer(serverOptions, (request, response) => {
    response.setHeader('x-request-id', nextId())
    route(store, request, response)
  })
  return server.on('close', () => store.close())
}

function route(store: Store, request: IncomingMessage, response: ServerResponse): void {
  const url = request.url!
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const query = question < 0 ? '' : url.slice(question + 1)
  const exchange = { store, request, response, origin: `http://${request.headers.host}` }
  if (request.method === 'POST') {
    if (path === snippetsPath) void createSnippet(exchange)
    else refuse(response, forList, 404, details.notFound)
  } else if (path === usersPath) listUsers(exchange, query)
  else if (path === snippetsPath) listSnippets(exchange, query)
  else if (path === titlesPath) listTitles(exchange, query)
  else if (path.startsWith(usersPath)) findUser(exchange, keyBehind(path, usersPath))
  else if (path.startsWith(snippetsPath)) findSnippet(exchange, keyBehind(path, snippetsPath))
  else refuse(response, forList, 404, details.notFound)
}

const usersPath = '/directory/users/'
const snippetsPath = '/snippet/snippets/'
const titlesPath = '/watching/titles/'

interface Exchange {
  readonly store: Store
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly origin: string
}

function keyBehind(path: string, prefix: string): number | undefined {
  return path.endsWith('/') ? parseKey(path.slice(prefix.length, -1)) : undefined
}

const pageOf = (query: string): number | undefined =>
  parsePage(query === '' ? undefined : (new URLSearchParams(query).get('page') ?? undefined))

function listUsers(exchange: Exchange, query: string): void {
  const { store, response, origin } = exchange
  const account = authenticate(exchange, forList, true)
  if (account === undefined) return
  const page = showPage(`${origin}${usersPath}`, pageOf(query), store.countUsers(), offset =>
    store.listUsers(offset).map(row => writeUser(origin, row)),
  )
  if (page === undefined) refuse(response, forList, 404, details.noPage)
  else show(response, account, forList, writePage(page))
}

function findUser(exchange: Exchange, id: number | undefined): void {
  const { store, response, origin } = exchange
  const account = authenticate(exchange, forObject, true)
  if (account === undefined) return
  const row = id === undefined ? undefined : store.findUser(id)
  if (row === undefined) refuse(response, forObject, 404, details.notFound)
  else show(response, account, forObject, JSON.stringify(showUser(origin, row)))
}

function listSnippets(exchange: Exchange, query: string): void {
  const { store, response, origin } = exchange
  const account = authenticate(exchange, forList, false)
  if (account === undefined) return
  const page = showPage(`${origin}${snippetsPath}`, pageOf(query), store.countSnippets(), offset =>
    store.listSnippets(offset).map(showSnippet),
  )
  if (page === undefined) refuse(response, forList, 404, details.noPage)
  else show(response, account, forList, JSON.stringify(page))
}

function findSnippet(exchange: Exchange, id: number | undefined): void {
  const { store, response } = exchange
  const account = authenticate(exchange, forObject, false)
  if (account === undefined) return
  const row = id === undefined ? undefined : store.findSnippet(id)
  if (row === undefined) refuse(response, forObject, 404, details.notFound)
  else show(response, account, forObject, JSON.stringify(showSnippet(row)))
}

function listTitles(exchange: Exchange, query: string): void {
  const { store, response, origin } = exchange
  const account = authenticate(exchange, forReadOnlyList, true)
  if (!account) return
  const page = showPage(`${origin}${titlesPath}`, pageOf(query), store.countSnippets(), offset =>
    store.listTitles(account.id, offset).map(showTitle),
  )
  if (page === undefined) refuse(response, forReadOnlyList, 404, details.noPage)
  else show(response, account, forReadOnlyList, JSON.stringify(page))
}

// Concatenating ten users takes 4 µs less than JSON.stringify; for snippets, whose texts are long, it saves nothing.
function writeUser(origin: string, [id, username, email, groups]: UserRow): string {
  const group = `${origin}/directory/groups/`
  const urls = groups === null ? '' : `"${group}${groups.replaceAll(',', `/","${group}`)}/"`
  const names = `"username":${JSON.stringify(username)},"email":${JSON.stringify(email)}`
  return `{"url":"${origin}${usersPath}${id}/",${names},"groups":[${urls}]}`
}

function writePage({ count, next, previous, results }: Page<string>): string {
  const links = `"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)}`
  return `{"count":${count},${links},"results":[${results.join(',')}]}`
}

async function createSnippet(exchange: Exchange): Promise<void> {
  const { store, request, response, origin } = exchange
  const account = authenticate(exchange, forList, true)
  if (!account) return
  const [highlighting, body] = await Promise.all([loadHighlighting(), readJson(request)])
  const read = readSnippet(body, highlighting)
  if ('errors' in read) return send(response, 400, forList, JSON.stringify(read.errors))
  const { value: snippet } = read
  const id = store.insertSnippet(account, snippet, await highlighting.render(snippet))
  response.setHeader('location', `${origin}${snippetsPath}${id}/`)
  const created = JSON.stringify({ id, owner: account.username, ...snippet })
  response.setHeader('etag', createValidators(created, false).etag!)
  send(response, 201, forList, created)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length']) > bodyLimit) return undefined
  try {
    return JSON.parse((await buffer(request)).toString())
  } catch {
    return undefined
  }
}

/** The caller's account; null for an anonymous caller; undefined if the request has been refused. */
function authenticate(
  { store, request, response }: Exchange,
  fields: Fields,
  isRequired: boolean,
): Account | null | undefined {
  const header = request.headers.authorization
  if (header === undefined) {
    if (!isRequired) return null
    refuse(response, fields, 401, details.missing)
    return undefined
  }
  const key = parseToken(header)
  const account = key === undefined ? undefined : store.findAccount(key)
  if (account?.isActive) {
    response.setHeader('cache-control', 'no-store')
    return account
  }
  refuse(response, fields, 401, account ? details.inactive : details.invalid)
  return undefined
}

function refuse(response: ServerResponse, fields: Fields, status: number, detail: string): void {
  if (status === 401) response.setHeader('www-authenticate', challenge)
  send(response, status, fields, JSON.stringify({ detail }))
}

function show(response: ServerResponse, account: Account | null, fields: Fields, body: string): void {
  send(response, 200, { ...fields, ...createValidators(body, account !== null) }, body)
}

function send(response: ServerResponse, status: number, fields: Fields, body: string): void {
  response.writeHead(status, { ...fields, 'content-length': Buffer.byteLength(body) }).end(body)
}
