// The handlers of requests with many objects, at the URL of a list (decision 074). Each item counts as a request for
// throttles, and as a called action for observers.

import { formatJson } from '../../../base/exact-json.ts'
import { isObject } from '../../../base/is-object.ts'
import { findTransaction } from '../../../database/transaction.ts'
import { BadRequest } from '../../../errors/exceptions.ts'
import { formatTypeName, invalid } from '../../../errors/invalid.ts'
import { hasWritePreconditions } from '../../../http/conditional/preconditions.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { readBodyOfDelete } from '../../../http/parsers/parser.ts'
import type { RequestBody } from '../../../http/parsers/request-body.ts'
import { type ApiResponse, type HeaderFields, JsonArray } from '../../../http/response.ts'
import { formatRowName, type KeyValue } from '../../../keys/key.ts'
import { frameworkMessages } from '../../../messages/english.ts'
import { countItems } from '../../../policy/throttling/count-items.ts'
import { addCommittedCalls } from '../../../view/observers.ts'
import { applyPreference } from '../../../view/prefer.ts'
import type { CommittedCall, Handler, View } from '../../../view/view.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { PrepareUrlColumns, ReadUrlColumns } from '../../bind/resource-location.ts'
import { withoutEnvelope } from '../../bind/restrict.ts'
import { seenAsSelected } from '../../bind/seen-resource.ts'
import type { Bulk } from '../../declare/bulk-option.ts'
import { createObject } from '../create.ts'
import { destroyObject } from '../destroy.ts'
import type { Written } from '../rows/row-writer.ts'
import { updateObject } from '../update.ts'
import { respondOnce } from '../write.ts'
import { type NamedItem, readNamedItems } from './named-items.ts'
import { createAll, destroyAll, prepareLock, type UpdateOptions, updateAll } from './write-all.ts'
import { formatRefusal, type ItemWriter, type Outcome, writeEach } from './write-each.ts'

/** A list at one of its paths. */
export interface BulkLocation {
  readonly bulk: Bulk
  /** The pattern of the path of the list, and of its objects. */
  readonly pattern: string
  readonly objectPattern: string
  /** Formats the path of the list of this request, and of the one that links to the objects lead to. */
  formatPath(context: HandlerContext): string
  formatLinkedPath(context: HandlerContext): string
}

/** Creates an object from each item of an array; `createSingle` handles every other body. */
export function createMany(
  bound: BoundResource,
  location: BulkLocation,
  {
    createSingle,
    prepareUrlColumns,
  }: { readonly createSingle: Handler; readonly prepareUrlColumns: PrepareUrlColumns },
): Handler {
  const respond = async (
    entered: BoundResource,
    request: HandlerContext,
    { items, readUrlColumns }: { readonly items: readonly unknown[]; readonly readUrlColumns: ReadUrlColumns },
  ) =>
    runBulk(
      location,
      { bound: entered, request, items, status: 201 },
      {
        all: () => createAll(entered, request, items, readUrlColumns),
        one: (inside, item) => createObject(inside, withData(request, item), { readUrlColumns }),
      },
    )
  const plain = withoutEnvelope(bound)
  return async request => {
    const { requestBody: body } = request
    if (body.kind !== 'data' || !Array.isArray(body.data)) return createSingle(request)
    const { items, headers } = await takeItems(body.data, location, request)
    const seen = await seenAsSelected(plain, 'create', request)
    const response = await respondOnce(seen, request, async () => {
      const readUrlColumns = await prepareUrlColumns(request)
      return entered => respond(entered, request, { items, readUrlColumns })
    })
    return addHeaders(response, headers)
  }
}

/** Changes the objects that the items name. */
export function updateMany(
  bound: BoundResource,
  location: BulkLocation,
  { partial }: { readonly partial: boolean },
): Handler {
  const plain = withoutEnvelope(bound)
  return async request => {
    refusePreconditions(request)
    const { items, headers } = await takeItems(readData(request.requestBody), location, request)
    const named = readNamedItems(bound.resource, items, { acceptsKeys: false })
    const seen = await seenAsSelected(plain, 'update', request)
    const response = await runBulk(
      location,
      { bound: seen, request, items: named, status: 200 },
      createUpdater(seen, request, named, { partial, skipsMissing: location.bulk.missing === 'skip' }),
    )
    return addHeaders(response, headers)
  }
}

/** Creates what changes the objects that the items name. */
export const createUpdater = (
  bound: BoundResource,
  request: HandlerContext,
  items: readonly NamedItem[],
  options: UpdateOptions,
): ItemWriter<NamedItem> => ({
  all: () => updateAll(bound, request, items, options),
  prepareLock: () => prepareLock(bound, request, 'update', items),
  async one(inside, item) {
    const name = readName(item)
    const json = await updateObject(inside, withData(request, item.data), {
      id: name,
      isKey: false,
      partial: options.partial,
    })
    return { key: name, name, json }
  },
})

/** Deletes the objects that the items name. */
export const destroyMany =
  (bound: BoundResource, location: BulkLocation): Handler =>
  async request => {
    refusePreconditions(request)
    const body = await readBodyOfDelete(request.request, (request.view as View).parsers)
    const { items, headers } = await takeItems(readKeys(readData(body), location.bulk.keysIn), location, request)
    const named = readNamedItems(bound.resource, items, { acceptsKeys: true })
    const response = await runBulk(
      location,
      { bound, request, items: named, status: 204 },
      createDestroyer(bound, request, named, location.bulk.missing === 'skip'),
    )
    return addHeaders(response, headers)
  }

/** Creates what deletes the objects that the items name. */
export const createDestroyer = (
  bound: BoundResource,
  request: HandlerContext,
  items: readonly NamedItem[],
  skipsMissing = false,
): ItemWriter<NamedItem> => ({
  all: () => destroyAll(bound, request, items, skipsMissing),
  prepareLock: () => prepareLock(bound, request, 'destroy', items),
  async one(inside, item) {
    const name = readName(item)
    await destroyObject(inside, request, { id: name, isKey: false })
    return { key: name, name }
  },
})

/** The same request with another body. */
export const withData = (request: HandlerContext, data: unknown): HandlerContext => ({
  ...request,
  requestBody: { kind: 'data', data },
})

function readName({ name, error }: NamedItem): KeyValue {
  if (name === undefined) throw error!
  return name
}

// A precondition names the state of one object, and each item would need its own. Ignored, it would protect nobody.
function refusePreconditions({ request: { headers } }: HandlerContext): void {
  if (hasWritePreconditions(headers)) throw new BadRequest(frameworkMessages('bad_request.precondition_of_many'))
}

// A form is an object.
const readData = (body: RequestBody): unknown => (body.kind === 'data' ? body.data : body.kind === 'empty' ? null : {})

// An object without the member is no list, as any other object.
const readKeys = (data: unknown, name: string | undefined): unknown =>
  name !== undefined && isObject(data) && Object.hasOwn(data, name) ? data[name] : data

interface TakenItems {
  readonly items: readonly unknown[]
  /** Describe the rates after the items were counted. */
  readonly headers: HeaderFields
}

// Rejects with ValidationError, or with Throttled.
async function takeItems(data: unknown, { bulk }: BulkLocation, request: HandlerContext): Promise<TakenItems> {
  if (!Array.isArray(data)) throw invalid('not_a_list', { type: formatTypeName(data) })
  if (data.length > bulk.max) throw invalid('max_length.list', { max: bulk.max })
  return { items: data, headers: await countItems(request, (request.view as View).throttles, data.length) }
}

const addHeaders = (response: ApiResponse, headers: HeaderFields): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
})

interface BulkRequest<Item> {
  readonly bound: BoundResource
  readonly request: HandlerContext
  readonly items: readonly Item[]
  /** The status of a written item. */
  readonly status: 200 | 201 | 204
}

async function runBulk<Item>(
  location: BulkLocation,
  bulkRequest: BulkRequest<Item>,
  writer: ItemWriter<Item>,
): Promise<ApiResponse> {
  const { bound, request, items, status } = bulkRequest
  const { bulk } = location
  const outcomes = bulk.mode === 'atomic' ? await writer.all() : await writeEach(bound, items, writer)
  reportWritten(location, bulkRequest, outcomes.filter(isWritten))
  if (bulk.mode === 'each')
    return {
      status: 207,
      body: new JsonArray(outcomes.map(outcome => formatOutcome(location, bulkRequest, outcome))),
    }
  if (status === 204) return { status }
  // All items of an atomic request are written.
  const written = outcomes as readonly Written[]
  const { status: created = status } = bound.resource.perAction.create ?? {}
  return applyPreference(request, {
    status: status === 201 ? created : status,
    body: new JsonArray(written.map(({ json }) => json!)),
  })
}

/** Whether the item was written. */
export const isWritten = (outcome: Outcome): outcome is Written => !('error' in outcome)

function formatOutcome<Item>(
  { formatLinkedPath }: BulkLocation,
  { bound, request, status }: BulkRequest<Item>,
  outcome: Outcome,
): string {
  if (!isWritten(outcome)) return formatJson(formatRefusal(outcome.error, request))
  const { name, json } = outcome
  const location = `${request.baseUrl}${formatLinkedPath(request)}${formatRowName(bound.identifier, name)}${bound.api.urlEnd}`
  const members = [
    `"status":${status}`,
    ...(status === 201 ? [`"location":${JSON.stringify(location)}`] : []),
    ...(json === undefined ? [] : [`"body":${json}`]),
  ]
  return `{${members.join()}}`
}

/** Reports a call for each item to the observers, once the transaction is committed. */
export function reportWritten(
  { pattern, objectPattern, formatPath }: Pick<BulkLocation, 'pattern' | 'objectPattern' | 'formatPath'>,
  { bound, request, status }: Omit<BulkRequest<unknown>, 'items'>,
  written: readonly Written[],
): void {
  const { root, findView } = request.view as View
  const view = findView(status === 201 ? pattern : objectPattern) ?? (request.view as View)
  const { id: viewId, auditEvent } = view
  const list = root + formatPath(request)
  const shared = {
    viewId,
    auditEvent,
    method: status === 200 ? 'PATCH' : status === 201 ? 'POST' : 'DELETE',
    path: list,
    isRecorded: bound.recorder !== undefined,
  }
  const toCall = ({ name }: Written): CommittedCall =>
    status === 201 ? shared : { ...shared, path: `${list}${formatRowName(bound.identifier, name)}${bound.api.urlEnd}` }
  const add = () => addCommittedCalls(request.request, written.map(toCall))
  const transaction = findTransaction(bound.database, undefined)
  if (transaction === undefined) add()
  else transaction.onCommit(add)
}
