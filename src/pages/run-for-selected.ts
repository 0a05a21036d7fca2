// Runs an action for the selected objects of a list: those that one transaction can write together, and a request for each of the
// others. Both have the permissions, checks, hooks and audit events of a request for each object.

import type { FastifyRequest } from 'fastify'
import {
  addSlash,
  csrfField,
  emptyBody,
  endUrl,
  type FindValues,
  frameworkMessages,
  type Handler,
  type HandlerContext,
  joinLayers,
  PermissionDenied,
  type RenderedResponse,
  type RequestBody,
  type Respond,
  readObject,
  type View,
  type WriteSelected,
} from '#core'
import type { BulkAction } from './bulk/bulk-actions.ts'
import { addResult, type BulkResult, type Refusal } from './bulk/bulk-result.ts'
import { findParentPath } from './gateway/page-form.ts'
import { createWords } from './html/words.ts'
import { objectValues, toLines } from './values/value-texts.ts'

export interface SelectedObjects {
  readonly list: View
  readonly action: BulkAction
  /** The form of the page that asks for confirmation. */
  readonly form: URLSearchParams
  /** The paths of the objects' pages. */
  readonly paths: readonly string[]
}

// Other writers wait for the transaction on SQLite.
const maxTogether = 100
// Requests that run together share a commit on SQLite, and use several connections on PostgreSQL.
const maxConcurrent = 8

/** Adds the result of these objects to the one before. */
export async function runForSelected(
  { list, action, form, paths }: SelectedObjects,
  before: BulkResult,
  { request }: HandlerContext,
  respond: Respond,
): Promise<BulkResult> {
  const objects = paths.map(path => findObject(list, path))
  const known = objects.filter(object => object !== undefined)
  const { text: format } = createWords(list, request)
  const text = format(frameworkMessages('not_found'))
  const unknown = paths.filter((_, index) => objects[index] === undefined).map(path => ({ text, path }))
  const requests = createRequests({ list, action, form }, request, respond)
  const write = findWriter(action, known)
  const size = write === undefined ? maxConcurrent : maxTogether
  let result = addResult(before, unknown.length, unknown)
  for (let start = 0; start < known.length; start += size) {
    const part = known.slice(start, start + size)
    const refusals =
      (write && (await requests.sendTogether(part, write))) ?? (await runConcurrently(part, requests.sendOne))
    result = addResult(result, part.length, refusals)
  }
  return result
}

/** An object of the list, by its page. */
interface ListedPage {
  readonly path: string
  /** The path below the API, with a slash at its end. */
  readonly ownPath: string
  readonly view: View
  readonly parameters: Readonly<Record<string, string>>
}

// The path is the caller's: only objects of this list count.
function findObject(list: View, path: string): ListedPage | undefined {
  const ownPath = path.startsWith(`${list.root}/`) ? addSlash(path.slice(list.root.length)) : undefined
  const match = ownPath === undefined ? undefined : list.findMatch(ownPath)
  if (match?.target.path !== `${list.listMetadata!.path}:key/`) return undefined
  return { path, ownPath: ownPath!, view: match.target, parameters: match.parameters }
}

// Objects below different parents need different permissions.
function findWriter({ method, segment }: BulkAction, objects: readonly ListedPage[]): WriteSelected | undefined {
  const [first] = objects
  if (first === undefined || segment !== '') return undefined
  const formatParents = ({ parameters: { key: _, ...parents } }: ListedPage) => JSON.stringify(parents)
  const parents = formatParents(first)
  if (objects.some(object => formatParents(object) !== parents)) return undefined
  return first.view.objectMetadata?.writeSelected[method as 'PATCH' | 'DELETE']
}

async function runConcurrently(
  objects: readonly ListedPage[],
  run: (object: ListedPage) => Promise<Refusal | undefined>,
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  for (let start = 0; start < objects.length; start += maxConcurrent) {
    const found = await Promise.all(objects.slice(start, start + maxConcurrent).map(run))
    refusals.push(...found.filter(refusal => refusal !== undefined))
  }
  return refusals
}

interface Requests {
  /** Sends the request of one object; resolves to its refusal, and to undefined after a success. */
  readonly sendOne: (object: ListedPage) => Promise<Refusal | undefined>
  /** Writes all objects; resolves to the refusals, and to undefined if they have to be written one by one. */
  readonly sendTogether: (
    objects: readonly ListedPage[],
    write: WriteSelected,
  ) => Promise<readonly Refusal[] | undefined>
}

function createRequests(
  { list, action, form }: Omit<SelectedObjects, 'paths'>,
  request: FastifyRequest,
  respond: Respond,
): Requests {
  const { 'content-length': _, 'content-type': __, 'accept-encoding': ___, ...headers } = request.headers
  const own = { ...headers, accept: 'application/json', 'x-csrftoken': form.get(csrfField) ?? '' }
  const sendTo = (
    { ownPath, parameters }: ListedPage,
    view: View,
    { method, segment = '', match, body }: ObjectRequest,
  ) =>
    respond(
      view,
      Object.create(request, {
        method: { value: method },
        url: { value: list.prefix + endUrl(ownPath + segment, list.urlEnd) },
        params: { value: parameters },
        query: { value: {} },
        headers: { value: { ...own, ...(match !== undefined && { 'if-match': match }) } },
      }),
      { parse: () => body ?? emptyBody },
    )
  const { method, segment, values = {} } = action
  const { text: format } = createWords(list, request)
  const [asked] = Object.keys(action.asked)
  const listCurrent = async (object: ListedPage) => {
    const { view } = object
    const current = await sendTo(object, withoutThrottles(view, 'GET'), { method: 'GET' })
    if (current.status !== 200) return current
    const shown = readObject(JSON.parse(String(current.body)), view.envelope)
    return { shown, match: joinLayers(current.headers).etag }
  }
  // Undefined if the caller cannot read the relation: a change without its other values would remove them.
  const addValues = (shown: Readonly<Record<string, unknown>>) => {
    if (!Object.hasOwn(shown, asked!)) return undefined
    const all = [...objectValues(action.asked, shown).values(asked!), ...form.getAll(asked!)]
    return [...new Set(all)].filter(value => value !== '')
  }
  const addTo: FindValues = shown => {
    const all = addValues(shown)
    if (all === undefined) throw new PermissionDenied()
    return { [asked!]: all }
  }
  return {
    async sendOne(object) {
      const { path, view } = object
      let fields = Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])
      let match: unknown = '*'
      if (asked !== undefined) {
        const current = await listCurrent(object)
        if ('status' in current) return { path, text: readReason(current) }
        const all = addValues(current.shown)
        if (all === undefined) return { path, text: format(frameworkMessages('permission_denied')) }
        fields = all.map(value => [asked, value])
        match = current.match ?? '*'
      }
      const target = segment === '' ? view : list.findView(view.path + segment)!
      const body: RequestBody = fields.length === 0 ? emptyBody : { kind: 'form', form: new URLSearchParams(fields) }
      const response = await sendTo(object, withoutThrottles(target, method), { method, segment, match, body })
      return response.status < 300 ? undefined : { path, text: readReason(response) }
    },
    async sendTogether(objects, write) {
      let refusals: readonly Refusal[] | undefined
      const segments = objects.map(({ parameters }) => parameters.key!)
      const [first] = objects as readonly [ListedPage]
      const view = withHandler(first.view, method, async context => {
        const change = asked === undefined ? values : addTo
        const found = await write(segments, change, { ...context, view: first.view })
        refusals = objects.flatMap(({ path }, index) => {
          const refused = found[index]
          return refused === undefined ? [] : { path, text: formatReason(refused.body, refused.status) }
        })
        return { status: 204 }
      })
      await sendTo({ ...first, ownPath: findParentPath(first.ownPath) }, view, { method })
      return refusals
    },
  }
}

interface ObjectRequest {
  readonly method: string
  /** The last part of the path; default: the request is for the object itself. */
  readonly segment?: string
  /** The value of `If-Match`. */
  readonly match?: unknown
  readonly body?: RequestBody
}

// The form is one request for the caller's rates.
function withoutThrottles(view: View, method: string): View {
  const unthrottled: View = { ...view.forMethod(method), throttles: [], forMethod: () => unthrottled }
  return unthrottled
}

// Observers see the change of each object, and not this request.
const withHandler = (view: View, method: string, handler: Handler): View => {
  const handled: View = {
    ...withoutThrottles(view, method),
    handlers: new Map([[method, handler]]),
    auditEvent: null,
    forMethod: () => handled,
  }
  return handled
}

function readReason({ body, status }: RenderedResponse): string {
  try {
    return formatReason(JSON.parse(String(body)), status)
  } catch {
    return String(status)
  }
}

function formatReason(body: unknown, status: number): string {
  const { detail, ...errors } = Object(body)
  return [...toLines(detail), ...toLines(errors)].join(' ') || String(status)
}
