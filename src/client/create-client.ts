// The client. It knows no declarations: properties and calls become the path of a URL.

import { readAll } from './all.ts'
import type { Result } from './call.ts'
import type { Client, Source } from './client.ts'
import { ClientError } from './errors.ts'
import { follow } from './follow.ts'
import type { ClientOptions, RequestOptions } from './options.ts'
import { type ClientRequest, type Connection, createOwnHeaders, type Received, send } from './send.ts'
import { formatKey, formatNames, formatPath, formatQuery, isKey } from './url.ts'

/**
 * Creates a client of an API. Its type is that of a profile, of the result of `createApi()`, or of a list of resources.
 *
 * @example
 * const client = createClient<typeof shop>({ baseUrl: 'https://api.example.org/shop/', token })
 * const { results } = await client.orders.list({ status: 'open' })
 */
export function createClient<Api extends Source>(options: ClientOptions): Client<Api> {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const base = new URL(options.baseUrl, location?.href)
  base.search = ''
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const connection: Connection = { options, base, tags: new WeakMap() }
  const members: Readonly<Record<string, unknown>> = {
    resource: (name: string) => createNode(connection, 'list', formatNames(name)),
    view: (path: string, parameters?: object) => createNode(connection, 'view', formatPath(path, { ...parameters })),
    fetch: (url: string, init?: RequestInit) => fetchUrl(connection, url, init),
  }
  const get = (_: object, name: string | symbol) =>
    findMember(members, name, () => createNode(connection, 'list', formatNames(name as string)))
  return new Proxy({}, { get }) as Client<Api>
}

/**
 * The kind of thing at a path. A `part` is below an object: a resource if it is called with a key, otherwise a view. A `feed` is below a
 * list.
 */
type Kind = 'list' | 'object' | 'part' | 'view' | 'feed'

function createNode(connection: Connection, kind: Kind, path: string): object {
  const join = (name: string) => (name === '' ? path : `${path}/${formatNames(name)}`)
  const below = (name: string) => createNode(connection, findKindBelow(kind, name), join(name))
  // A list in a call of a part is the body of a view.
  const resource = (name: string) => (kind === 'object' ? createNode(connection, 'list', join(name)) : below(name))
  const members = { ...createMethods(connection, path), resource }
  // The target makes the node callable; none of its own properties can be seen.
  return new Proxy(() => undefined, {
    get: (_, name) => findMember(members, name, () => below(name as string)),
    apply(_target, _this, args: [data?: unknown, options?: RequestOptions]) {
      if (kind === 'feed') {
        const [query, options] = args
        return follow(connection, path, formatQuery(query as object, connection.options), options)
      }
      if (kind === 'object') throw new TypeError(`${path} is an object: call one of its methods`)
      if (kind === 'view' || (kind === 'part' && !isKey(args[0]) && !isMissingKey(args))) return members.post(...args)
      return createNode(connection, 'object', `${path}/${formatKey(args[0])}`)
    },
  })
}

function findKindBelow(kind: Kind, name: string): Kind {
  if (kind === 'object') return 'part'
  return kind !== 'view' && name === 'feed' ? 'feed' : 'view'
}

// A variable that is undefined instead of a key must not become a POST.
const isMissingKey = (args: readonly unknown[]): boolean => args.length === 1 && (args[0] ?? null) === null

// `await` reads `then`, and the platform reads symbols. Neither is a name in the API.
function findMember(members: object, name: string | symbol, below: () => unknown): unknown {
  if (typeof name === 'symbol' || name === 'then') return undefined
  return Object.hasOwn(members, name) ? members[name as never] : below()
}

function createMethods(connection: Connection, path: string) {
  const read = (query?: object, options?: RequestOptions) =>
    call(connection, { method: 'GET', path, query: formatQuery(query, connection.options), options })
  const write = (method: string) => (data?: unknown, options?: RequestOptions) =>
    call(connection, { method, path, query: formatQuery(options?.query, connection.options), data, options })
  const destroy = (first?: RequestOptions | readonly unknown[], second?: RequestOptions) =>
    Array.isArray(first)
      ? write('DELETE')(first, second)
      : write('DELETE')((first as { readonly body?: unknown } | undefined)?.body, first as RequestOptions)
  return {
    list: read,
    all: (query?: object, options?: RequestOptions) =>
      readAll(connection, path, formatQuery(query, connection.options), options),
    retrieve: read,
    create: write('POST'),
    update: write('PATCH'),
    replace: write('PUT'),
    destroy,
    get: read,
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    delete: destroy,
    view: (below: string, parameters?: object) =>
      createNode(connection, 'view', `${path}/${formatPath(below, { ...parameters })}`),
  }
}

/** Sends a request. The method `result` of the promise resolves to an error instead of rejecting with it. */
function call(connection: Connection, request: ClientRequest) {
  const receiving = send(connection, request)
  const data = receiving.then(received => received.data)
  return Object.assign(data, {
    result(): Promise<Result<unknown, unknown>> {
      // This promise reports the error instead.
      data.catch(() => undefined)
      return receiving.then(toSuccess, toFailure)
    },
  })
}

const toSuccess = ({ data, response }: Received) =>
  ({ ok: true, value: data, response, header: (name: string) => response.headers.get(name) }) as const

function toFailure(error: unknown) {
  if (error instanceof ClientError) return { ok: false, error: error as never } as const
  throw error
}

/** `fetch` with the caller's credentials, unless the URL leads to another origin. */
async function fetchUrl(connection: Connection, url: string, init: RequestInit = {}): Promise<Response> {
  const { options, base } = connection
  const target = new URL(url, base)
  const fetchResponse = options.fetch ?? fetch
  if (target.origin !== base.origin) return fetchResponse(target.href, init)
  const headers = await createOwnHeaders(connection, init.method ?? 'GET')
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  return fetchResponse(target.href, { ...init, headers, ...(options.session && { credentials: 'include' as const }) })
}
