// The form of a list that runs an action for several objects: one request per object, with the permissions, checks, hooks and audit
// events of that request. Objects that refuse it stay as they are.

import type { FastifyRequest } from 'fastify'
import { csrfField } from '../authentication/csrf.ts'
import { bulkParameter, maxBulkObjects, selectedField, wholeListField } from '../bulk-names.ts'
import type { HandlerContext } from '../context.ts'
import { readObject } from '../envelope/read-data.ts'
import { NotFound } from '../errors/exceptions.ts'
import { noticeHeaders } from '../page-form.ts'
import { emptyBody, type RequestBody } from '../parsers/request-body.ts'
import type { SendRequest, SentResponse } from '../renderers/renderer.ts'
import { type ApiResponse, joinLayers } from '../response.ts'
import { clientPath } from '../urls/client-url.ts'
import { splitQuery } from '../urls/routing.ts'
import { addSlash, endUrl } from '../urls/trailing-slash.ts'
import type { View } from '../view.ts'
import { type BulkAction, listBulkActions } from './bulk-actions.ts'
import { listAllPaths } from './list-all-paths.ts'
import { objectValues } from './value-texts.ts'
import { createWords } from './words.ts'

/** Runs the action, and redirects to the list. Throws NotFound for an action that the list does not offer. */
export async function runBulkForm(list: View, context: HandlerContext, send: SendRequest): Promise<ApiResponse> {
  const { request, requestBody } = context
  const [path, queryText] = splitQuery(request.url)
  const query = new URLSearchParams(queryText)
  const words = createWords(list, request)
  const actions = await listBulkActions(list, context, words)
  const action = actions.find(({ name }) => name === query.get(bulkParameter))
  if (action === undefined || requestBody.kind !== 'form') throw new NotFound()
  const { form } = requestBody
  query.delete(bulkParameter)
  const url = query.size === 0 ? path : `${path}?${query}`
  const paths =
    form.get(wholeListField) === '1'
      ? await listAllPaths(list, context, url, maxBulkObjects)
      : form.getAll(selectedField)
  const [asked] = Object.keys(action.asked)
  const isComplete = asked === undefined || listValues(form, asked).length > 0
  const run = (objectPath: string) => runForObject({ list, action, objectPath, form }, context, send)
  const { done, failures } = await runAll(isComplete ? [...new Set(paths)].slice(0, maxBulkObjects) : [], run)
  const reason = Buffer.from((failures[0] ?? '').slice(0, 300)).toString('base64url')
  const notice = `bulk-${done}-${failures.length}-${reason}`
  const listPath = clientPath({ view: list, request })
  const location =
    action.method === 'DELETE' || query.size === 0 ? listPath + withoutPages(list, query) : `${listPath}?${query}`
  return { status: 303, headers: noticeHeaders(location, notice, list.baseUrl(request)) }
}

// Requests that run together share a commit on SQLite, and use several connections on PostgreSQL.
const maxConcurrent = 8

async function runAll(
  paths: readonly string[],
  run: (path: string) => Promise<string | undefined>,
): Promise<{ readonly done: number; readonly failures: readonly string[] }> {
  const failures: string[] = []
  for (let start = 0; start < paths.length; start += maxConcurrent) {
    const problems = await Promise.all(paths.slice(start, start + maxConcurrent).map(run))
    failures.push(...problems.filter(problem => problem !== undefined))
  }
  return { done: paths.length - failures.length, failures }
}

// After a deletion, a page may be beyond the end of the list.
function withoutPages({ listMetadata }: View, query: URLSearchParams): string {
  const kept = [...query].filter(
    ([name]) => !Object.hasOwn(listMetadata!.pageParameters, name) || name === listMetadata!.sizeParameter,
  )
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}

interface ObjectRequest {
  readonly list: View
  readonly action: BulkAction
  readonly objectPath: string
  readonly form: URLSearchParams
}

/** Runs the request of one object; returns what went wrong, and undefined after a success. */
async function runForObject(
  { list, action, objectPath, form }: ObjectRequest,
  { request }: HandlerContext,
  send: SendRequest,
): Promise<string | undefined> {
  const path = objectPath.startsWith(`${list.root}/`) ? addSlash(objectPath.slice(list.root.length)) : undefined
  const object = path === undefined ? undefined : list.findMatch(path)
  // The path is the caller's: only objects of this list count.
  if (object?.target.path !== `${list.listMetadata!.path}:key/`) return objectPath
  const target = action.segment === '' ? object.target : list.findView(object.target.path + action.segment)!
  const { 'content-length': _, 'content-type': __, 'accept-encoding': ___, ...headers } = request.headers
  const own = { ...headers, accept: 'application/json', 'x-csrftoken': form.get(csrfField) ?? '' }
  const sendTo = (view: View, method: string, preconditions: object, body: RequestBody = emptyBody) => {
    const sent: FastifyRequest = Object.create(request, {
      method: { value: method },
      url: { value: list.prefix + endUrl(path + (view === target ? action.segment : ''), list.urlEnd) },
      params: { value: object.parameters },
      query: { value: {} },
      headers: { value: { ...own, ...preconditions } },
    })
    return send(withoutThrottles(view, method), sent, () => body)
  }
  const describeFailure = (response: SentResponse) => `${objectPath}: ${readDetail(response)}`
  const [asked] = Object.keys(action.asked)
  let fields = Object.entries(action.values ?? {}).map(([name, value]): [string, string] => [name, String(value)])
  let match: unknown = '*'
  if (asked !== undefined) {
    const current = await sendTo(object.target, 'GET', {})
    if (current.status !== 200) return describeFailure(current)
    const shown = readObject(JSON.parse(String(current.body)), object.target.envelope)
    // A change without the values that the caller cannot read would remove them.
    if (!Object.hasOwn(shown, asked)) return objectPath
    const values = [...objectValues(action.asked, shown).values(asked), ...listValues(form, asked)]
    fields = [...new Set(values)].map(value => [asked, value])
    match = joinLayers(current.headers).etag ?? '*'
  }
  const body: RequestBody = fields.length === 0 ? emptyBody : { kind: 'form', form: new URLSearchParams(fields) }
  const response = await sendTo(target, action.method, { 'if-match': match }, body)
  return response.status < 300 ? undefined : describeFailure(response)
}

// The form is one request for the caller's rates.
function withoutThrottles(view: View, method: string): View {
  const unthrottled: View = { ...view.forMethod(method), throttles: [], forMethod: () => unthrottled }
  return unthrottled
}

const listValues = (form: URLSearchParams, field: string): readonly string[] =>
  form.getAll(field).filter(value => value !== '')

function readDetail({ body, status }: SentResponse): string {
  const data = typeof body === 'string' ? body : ''
  try {
    return String(JSON.parse(data).detail ?? data)
  } catch {
    return String(status)
  }
}
