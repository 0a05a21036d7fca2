// The opponent that defines the goals: handlers that a good engineer would write for these few URLs, with Fastify and
// response schemas, on the same tables. JSON.stringify is used if it is faster than the schema's serializer (decision 026).

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createApplication } from './application.ts'
import { loadHighlighting } from './highlighting.ts'
import { readSnippet } from './new-snippet.ts'
import {
  challenge,
  createValidators,
  details,
  type Fields,
  forList,
  forObject,
  forReadOnlyList,
  parseKey,
  parsePage,
  parseToken,
  showPage,
  showSnippet,
  showTitle,
  showUser,
} from './responses.ts'
import { schemas } from './schemas.ts'
import { type Account, openStore, type Store } from './store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | null
  }
}

/** Creates the application with this SQLite file; its `close` closes the file too. */
export function createHandWritten(path: string): FastifyInstance {
  const store = openStore(path)
  const app = createApplication()
  app.addHook('onClose', async () => store.close())
  app.get('/directory/users/', { schema: schemas.users }, listUsers(store))
  app.get('/directory/users/:id/', { schema: schemas.user }, findUser(store))
  app.get('/snippet/snippets/', { schema: schemas.snippets }, listSnippets(store))
  app.get('/snippet/snippets/:id/', { schema: schemas.snippet }, findSnippet(store))
  app.get('/watching/titles/', { schema: schemas.titles }, listTitles(store))
  app.decorateRequest('account', null)
  const before = { schema: schemas.newSnippet, onRequest: requireAccount(store) }
  app.post('/snippet/snippets/', before, createSnippet(store))
  return app
}

type Handler<Result = FastifyReply> = (request: FastifyRequest, reply: FastifyReply) => Result

function listUsers(store: Store): Handler {
  return (request, reply) => {
    const account = authenticate(store, request, reply, forList, true)
    if (account === undefined) return reply
    const origin = originOf(request)
    const number = parsePage((request.query as { page?: unknown }).page)
    const page = showPage(`${origin}/directory/users/`, number, store.countUsers(), offset =>
      store.listUsers(offset).map(row => showUser(origin, row)),
    )
    if (page === undefined) return refuse(request, reply, forList, 404, details.noPage)
    return show(request, reply, account, forList, JSON.stringify(page))
  }
}

function findUser(store: Store): Handler<FastifyReply> {
  return (request, reply) => {
    const account = authenticate(store, request, reply, forObject, true)
    if (account === undefined) return reply
    const row = find(request, store.findUser)
    if (row === undefined) return refuse(request, reply, forObject, 404, details.notFound)
    return show(request, reply, account, forObject, serialize(reply, showUser(originOf(request), row), '200'))
  }
}

function listSnippets(store: Store): Handler {
  return (request, reply) => {
    const account = authenticate(store, request, reply, forList, false)
    if (account === undefined) return reply
    const number = parsePage((request.query as { page?: unknown }).page)
    const page = showPage(`${originOf(request)}/snippet/snippets/`, number, store.countSnippets(), offset =>
      store.listSnippets(offset).map(showSnippet),
    )
    if (page === undefined) return refuse(request, reply, forList, 404, details.noPage)
    return show(request, reply, account, forList, serialize(reply, page, '200'))
  }
}

function findSnippet(store: Store): Handler {
  return (request, reply) => {
    const account = authenticate(store, request, reply, forObject, false)
    if (account === undefined) return reply
    const row = find(request, store.findSnippet)
    if (row === undefined) return refuse(request, reply, forObject, 404, details.notFound)
    return show(request, reply, account, forObject, serialize(reply, showSnippet(row), '200'))
  }
}

function listTitles(store: Store): Handler {
  return (request, reply) => {
    const account = authenticate(store, request, reply, forReadOnlyList, true)
    if (!account) return reply
    const number = parsePage((request.query as { page?: unknown }).page)
    const page = showPage(`${originOf(request)}/watching/titles/`, number, store.countSnippets(), offset =>
      store.listTitles(account.id, offset).map(showTitle),
    )
    if (page === undefined) return refuse(request, reply, forReadOnlyList, 404, details.noPage)
    return show(request, reply, account, forReadOnlyList, JSON.stringify(page))
  }
}

function createSnippet(store: Store): Handler<Promise<FastifyReply>> {
  return async (request, reply) => {
    const highlighting = await loadHighlighting()
    const read = readSnippet(request.body, highlighting)
    if ('errors' in read) return send(request, reply.code(400), forList, JSON.stringify(read.errors))
    const { value: snippet } = read
    const account = request.account!
    const id = store.insertSnippet(account, snippet, await highlighting.render(snippet))
    void reply.code(201).header('location', `${originOf(request)}/snippet/snippets/${id}/`)
    const created = serialize(reply, { id, owner: account.username, ...snippet }, '201')
    return send(request, reply.header('etag', createValidators(created, false).etag), forList, created)
  }
}

// Runs before the body is read, so that the body of an anonymous caller is never read.
const requireAccount =
  (store: Store): onRequestHookHandler =>
  (request, reply, done) => {
    const account = authenticate(store, request, reply, forList, true)
    if (account === undefined) return
    request.account = account
    done()
  }

/** The caller's account; null for an anonymous caller; undefined if the request has been refused. */
function authenticate(
  store: Store,
  request: FastifyRequest,
  reply: FastifyReply,
  fields: Fields,
  isRequired: boolean,
): Account | null | undefined {
  const header = request.headers.authorization
  if (header === undefined) {
    if (!isRequired) return null
    refuse(request, reply, fields, 401, details.missing)
    return undefined
  }
  const key = parseToken(header)
  const account = key === undefined ? undefined : store.findAccount(key)
  if (account?.isActive) {
    void reply.header('cache-control', 'no-store')
    return account
  }
  refuse(request, reply, fields, 401, account ? details.inactive : details.invalid)
  return undefined
}

function find<Row>(request: FastifyRequest, find: (id: number) => Row | undefined): Row | undefined {
  const id = parseKey((request.params as { id: string }).id)
  return id === undefined ? undefined : find(id)
}

const originOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  fields: Fields,
  status: 401 | 404,
  detail: string,
): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', challenge)
  return send(request, reply.code(status), fields, serialize(reply, { detail }, '4xx'))
}

// Serializes with the response schema of the route.
const serialize = (reply: FastifyReply, value: object, status: string): string =>
  reply.serializeInput(value as Record<string, unknown>, status) as string

// With an own serializer, Fastify does not change the response's Content-Type.
const asItIs = (body: string): string => body

function show(request: FastifyRequest, reply: FastifyReply, account: Account | null, fields: Fields, body: string) {
  return send(request, reply.headers(createValidators(body, account !== null)), fields, body)
}

function send(request: FastifyRequest, reply: FastifyReply, fields: Fields, body: string): FastifyReply {
  return reply.headers(fields).header('x-request-id', request.id).serializer(asItIs).send(body)
}
