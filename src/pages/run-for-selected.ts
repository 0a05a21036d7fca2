// Runs an action for the selected objects of a list. A change or a deletion of many objects is one request, whose handler writes them in
// one transaction; a view is a request for each object. Both have the permissions, checks, hooks and audit events of requests for each.

import type { FastifyRequest } from 'fastify'
import {
  addSlash,
  emptyBody,
  type Field,
  type FindValues,
  frameworkMessages,
  type Handler,
  type HandlerContext,
  PermissionDenied,
  type RenderedResponse,
  type RequestBody,
  type Respond,
  type View,
  type WriteSelected,
} from '#core'
import type { BulkAction } from './bulk/bulk-actions.ts'
import { addResult, type BulkResult, type Refusal } from './bulk/bulk-result.ts'
import { findParentPath } from './gateway/page-form.ts'
import { createWords } from './html/words.ts'
import { createObjectRequest } from './object-request.ts'
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
  const listed = objects.filter(object => object !== undefined)
  const text = createWords(list, request).text(frameworkMessages('not_found'))
  const refused = paths.filter((_, index) => objects[index] === undefined).map(path => ({ text, path }))
  const { sendOne, sendTogether } = createRequests({ list, action, form }, request, respond)
  let result = addResult(before, refused.length, refused)
  // Objects below different parents need different permissions.
  for (const group of Map.groupBy(listed, formatParents).values()) {
    const write = action.segment === '' ? findWriter(group[0]!, action) : undefined
    const size = write === undefined ? maxConcurrent : maxTogether
    for (let start = 0; start < group.length; start += size) {
      const part = group.slice(start, start + size)
      const refusals = await (write ? sendTogether(part, write) : Promise.all(part.map(sendOne)))
      result = addResult(
        result,
        part.length,
        refusals.filter(refusal => refusal !== undefined),
      )
    }
  }
  return result
}

const formatParents = ({ parameters: { key: _, ...parents } }: ListedPage): string => JSON.stringify(parents)

const findWriter = ({ view }: ListedPage, { method }: BulkAction): WriteSelected | undefined =>
  view.objectMetadata?.writeSelected[method as 'PATCH' | 'DELETE']

/** An object of the list, by its page. */
export interface ListedPage {
  readonly path: string
  /** The path below the API, with a slash at its end. */
  readonly ownPath: string
  readonly view: View
  readonly parameters: Readonly<Record<string, string>>
}

// The path is the caller's: only objects of this list count.
export function findObject(list: View, path: string): ListedPage | undefined {
  const ownPath = path.startsWith(`${list.root}/`) ? addSlash(path.slice(list.root.length)) : undefined
  const match = ownPath === undefined ? undefined : list.findMatch(ownPath)
  const { path: listPath, objectPattern } = list.listMetadata!
  if (match?.target.path !== listPath + objectPattern) return undefined
  return { path, ownPath: ownPath!, view: match.target, parameters: match.parameters }
}

type Refused = Refusal | undefined

interface Requests {
  /** Sends the request of one object. */
  readonly sendOne: (object: ListedPage) => Promise<Refused>
  /** Sends one request that writes all objects. */
  readonly sendTogether: (objects: readonly ListedPage[], write: WriteSelected) => Promise<readonly Refused[]>
}

function createRequests(
  { list, action, form }: Omit<SelectedObjects, 'paths'>,
  request: FastifyRequest,
  respond: Respond,
): Requests {
  const { method, segment, values = {} } = action
  const send = (view: View, path: string, { parameters }: ListedPage, body?: RequestBody) =>
    respond(
      view,
      createObjectRequest(request, form, { method, view: list, path, parameters, changesAnyState: body !== undefined }),
      { parse: () => body ?? emptyBody },
    )
  const change = findChange(action, form)
  const fields = new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const sendTogether: Requests['sendTogether'] = async (objects, write) => {
    const [first] = objects as readonly [ListedPage]
    let refusals: readonly Refused[] | undefined
    const view = withHandler(first.view, method, async context => {
      const segments = objects.map(({ parameters }) => parameters.key!)
      const refused = await write(segments, change, { ...context, view: first.view })
      refusals = refused.map(
        (refusal, index) => refusal && { path: objects[index]!.path, text: formatReason(refusal.body, refusal.status) },
      )
      return { status: 204 }
    })
    const response = await send(view, findParentPath(first.ownPath), first)
    if (refusals !== undefined) return refusals
    if (objects.length === 1) return [{ path: first.path, text: readReason(response) }]
    // A permission may depend on the key in the path.
    return (await Promise.all(objects.map(object => sendTogether([object], write)))).flat()
  }
  return {
    async sendOne(object) {
      const target = segment === '' ? object.view : list.findView(object.view.path + segment)!
      const body: RequestBody = fields.size === 0 ? emptyBody : { kind: 'form', form: fields }
      const response = await send(withoutThrottles(target, method), object.ownPath + segment, object, body)
      return response.status < 300 ? undefined : { path: object.path, text: readReason(response) }
    },
    sendTogether,
  }
}

/** The values of a change, or the function that finds them in an object. */
function findChange({ asked, edits, values = {} }: BulkAction, form: URLSearchParams): object | FindValues {
  if (edits !== undefined) return { [edits]: readEdit(asked[edits]!, form.get(edits)) }
  const [name] = Object.keys(asked)
  if (name === undefined) return values
  return shown => {
    // A change without the values that the caller cannot read would remove them.
    if (!Object.hasOwn(shown, name)) throw new PermissionDenied()
    const all = [...objectValues(asked, shown).values(name), ...form.getAll(name)]
    return { [name]: [...new Set(all)].filter(value => value !== '') }
  }
}

// As the form of an object sends it: an unchecked box is false, and what may be empty is null.
function readEdit({ kind, nullable, blank }: Field, text: string | null): unknown {
  if (kind.isCheckbox) return text !== null
  return text === '' && nullable && !blank ? null : (text ?? '')
}

// The form is one request for the caller's rates.
export function withoutThrottles(view: View, method: string): View {
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

export function readReason({ body, status }: RenderedResponse): string {
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
