// The opponent: what a good engineer writes by hand for these few URLs, on the same server, over the same tables.
// JSON.stringify, because it was a third faster here than Fastify's serializers compiled from a schema.

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createServer } from '../src/service/server.ts'
import { type Account, openStore, pageSize, type SnippetRow, type Store, type UserRow } from './by-hand-store.ts'
import { settingsFor } from './ours.ts'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | null
  }
}

/** The application over this SQLite file; its `close` closes the file too. */
export function createByHand(path: string): FastifyInstance {
  const store = openStore(path)
  const app = createServer(settingsFor(path))
  app.decorateRequest('account', null)
  app.addHook('onClose', async () => store.close())
  app.get('/directory/users/', { onRequest: authenticate(store, { required: true }) }, listUsers(store))
  app.get('/directory/users/:id/', { onRequest: authenticate(store, { required: true }) }, findUser(store))
  app.get('/snippet/snippets/', { onRequest: authenticate(store, { required: false }) }, listSnippets(store))
  app.get('/snippet/snippets/:id/', { onRequest: authenticate(store, { required: false }) }, findSnippet(store))
  return app
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

function listUsers(store: Store): Handler {
  return (request, reply) => {
    const number = parsePage((request.query as { page?: unknown }).page)
    const count = store.countUsers()
    const pages = Math.max(1, Math.ceil(count / pageSize))
    if (number === undefined || number > pages) return refuse(reply, allowList, 404, 'Invalid page.')
    const users = store.listUsers((number - 1) * pageSize)
    const groups = store.listGroups(users)
    const base = baseOf(request)
    const link = (page: number) => `${base}/users/${page === 1 ? '' : `?page=${page}`}`
    const body = JSON.stringify({
      count,
      next: number < pages ? link(number + 1) : null,
      previous: number > 1 ? link(number - 1) : null,
      results: users.map(user => showUser(base, user, groups.get(user[0])!)),
    })
    return send(reply, allowList, body)
  }
}

function findUser(store: Store): Handler {
  return (request, reply) => {
    const id = parseKey((request.params as { id: string }).id)
    const found = id === undefined ? undefined : store.findUser(id)
    if (found === undefined) return refuse(reply, allowObject, 404, 'Not found.')
    return send(reply, allowObject, JSON.stringify(showUser(baseOf(request), found.user, found.groups)))
  }
}

function listSnippets(store: Store): Handler {
  return (request, reply) => {
    const number = parsePage((request.query as { page?: unknown }).page)
    const count = store.countSnippets()
    const pages = Math.max(1, Math.ceil(count / pageSize))
    if (number === undefined || number > pages) return refuse(reply, allowList, 404, 'Invalid page.')
    const link = (page: number) => `${originOf(request)}/snippet/snippets/${page === 1 ? '' : `?page=${page}`}`
    const body = JSON.stringify({
      count,
      next: number < pages ? link(number + 1) : null,
      previous: number > 1 ? link(number - 1) : null,
      results: store.listSnippets((number - 1) * pageSize).map(showSnippet),
    })
    return send(reply, allowList, body)
  }
}

function findSnippet(store: Store): Handler {
  return (request, reply) => {
    const id = parseKey((request.params as { id: string }).id)
    const row = id === undefined ? undefined : store.findSnippet(id)
    if (row === undefined) return refuse(reply, allowObject, 404, 'Not found.')
    return send(reply, allowObject, JSON.stringify(showSnippet(row)))
  }
}

const showUser = (base: string, [id, username, email]: UserRow, groups: readonly number[]) => ({
  url: `${base}/users/${id}/`,
  username,
  email,
  groups: groups.map(group => `${base}/groups/${group}/`),
})

const showSnippet = ([id, owner, title, code, linenos, language, style]: SnippetRow) => ({
  id,
  owner,
  title,
  code,
  linenos: linenos === 1,
  language,
  style,
})

function authenticate(store: Store, { required }: { required: boolean }): onRequestHookHandler {
  return (request, reply, done) => {
    const header = request.headers.authorization
    if (header === undefined) {
      if (required) refuse(reply, allowOf(request), 401, 'Authentication credentials were not provided.')
      else done()
      return
    }
    const key = /^token +([\x21-\x7e]+)$/i.exec(header)?.[1]
    const account = key === undefined ? undefined : store.findAccount(key)
    if (!account?.isActive) {
      refuse(reply, allowOf(request), 401, account ? 'User inactive or deleted.' : 'Invalid token.')
      return
    }
    request.account = account
    done()
  }
}

const allowList = 'GET, POST, HEAD, OPTIONS'
const allowObject = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'
const allowOf = ({ routeOptions }: FastifyRequest) => (routeOptions.url!.includes(':id') ? allowObject : allowList)

const originOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`
const baseOf = (request: FastifyRequest): string => `${originOf(request)}/directory`

function parsePage(text: unknown = '1'): number | undefined {
  return typeof text === 'string' && /^0*[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

const parseKey = (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)

function refuse(reply: FastifyReply, allow: string, status: number, detail: string): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Token')
  return send(reply.code(status), allow, JSON.stringify({ detail }))
}

// With a serializer of its own, an answer's Content-Type stays as it is.
const asItIs = (body: string): string => body

function send(reply: FastifyReply, allow: string, body: string): FastifyReply {
  return reply
    .header('allow', allow)
    .header('vary', 'Accept, Authorization, Cookie')
    .header('content-type', 'application/json')
    .serializer(asItIs)
    .send(body)
}
