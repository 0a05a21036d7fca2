// The requests of a page as code: GET, and the other methods that this caller may call.

import type { View } from '#core'
import { newParameter } from '../forms/new-page.ts'
import { deletionParameter } from '../object/deletion-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageUrl } from '../page/page-url.ts'
import { formatClient, formatCurl, type ReferenceRequest, type RequestCode } from '../reference/request-code.ts'

/** The parts of a request that differ by method. */
export interface RequestParts {
  readonly method: string
  /** Sent as JSON; undefined for no body. */
  readonly body?: unknown
  /** The value of `If-Match`; undefined if the request needs none. */
  readonly ifMatch?: string | undefined
}

/** The URL of the page's resource, as a program calls it: without the parameters that choose a page. */
export function findRequestUrl(context: PageContext): string {
  const [path, query] = pageUrl(context).split('?', 2) as [string, string?]
  if (query === undefined) return path
  const own = new Set([context.view.formatParam, newParameter, deletionParameter])
  const kept = query.split('&').filter(part => !own.has(part.split('=', 1)[0]!))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/** Creates the request; undefined if its URL is unknown. */
export function createConsoleRequest(context: PageContext, parts: RequestParts): ReferenceRequest | undefined {
  const { view, request, requestContext } = context
  const origin = URL.parse(requestContext?.baseUrl ?? '')?.origin
  if (origin === undefined) return undefined
  return {
    body: undefined,
    ...parts,
    url: origin + findRequestUrl(context),
    path: view.path.replaceAll(/:([^/]+)/g, '{$1}'),
    parameters: request.params as Record<string, string>,
    operationId: formatOperation(view, parts.method),
    tag: view.resource?.name ?? '',
    isForm: false,
    tokenKeyword: findTokenKeyword(context),
    tokenHeader: undefined,
    hasTag: parts.ifMatch !== undefined,
  }
}

// The name of an action, from which the call of the typed client follows; empty for other views.
function formatOperation({ path, resource, listMetadata }: View, method: string): string {
  const [last, above] = path.split('/').filter(Boolean).reverse()
  const isList = last === resource?.name && listMetadata !== undefined
  const isObject = last === resource?.name || (above === resource?.name && last?.startsWith(':'))
  const verb = isList ? verbsOfLists[method] : isObject ? verbsOfObjects[method] : undefined
  return verb === undefined ? '' : `${verb}One`
}

const verbsOfLists: Readonly<Record<string, string>> = { GET: 'list', POST: 'create' }
const verbsOfObjects: Readonly<Record<string, string>> = {
  GET: 'retrieve',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
}

function findTokenKeyword({ view, requestContext }: PageContext): string | undefined {
  const scheme = view.authentication.find(({ name }: View['authentication'][number]) => name === 'token')
  return requestContext?.user.isAuthenticated ? scheme?.challenge : undefined
}

/** Code, with the place of its body. */
export interface ConsoleCode extends RequestCode {
  /** The code before and after the body; undefined if the request has none. */
  readonly around: readonly [before: string, after: string] | undefined
}

/** The request in each language. */
export function createConsoleCode(request: ReferenceRequest): readonly ConsoleCode[] {
  const codes = createCode(request)
  if (request.body === undefined) return codes.map(code => ({ ...code, around: undefined }))
  const marked = createCode({ ...request, body: bodyMark })
  return codes.map((code, index) => {
    const [before, after] = marked[index]!.code.split(String(bodyMark)) as [string, string]
    return { ...code, around: [before, after] }
  })
}

/** The request as a form with files in each language: the code before and after the lines of its parts. */
export const createFormCode = (request: ReferenceRequest): readonly (readonly [before: string, after: string])[] =>
  createCode({ ...request, body: { [partMark]: '' }, isForm: true }).map(
    ({ code }, index) => code.split(marksOfParts[index]!) as [string, string],
  )

const partMark = '%part'
// In curl, and in the client.
const marksOfParts: readonly RegExp[] = [/-F '%part='/, / {2}'%part': '',/]

// A number has the same text in all languages.
const bodyMark = 8.7654321e-7

// The client reads the tag of the object itself, and takes the query of a list as an object.
function createCode(request: ReferenceRequest): readonly RequestCode[] {
  const query = Object.fromEntries(new URLSearchParams(request.url.split('?', 2)[1]))
  const hasQuery = request.method === 'GET' && Object.keys(query).length > 0
  return [
    { name: 'curl', code: formatCurl(request) },
    { name: 'TypeScript', code: formatClient(hasQuery ? { ...request, body: query } : request) },
  ]
}
