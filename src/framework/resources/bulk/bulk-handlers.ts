// The handlers of requests with many objects, at the URL of a list (decision 074). Each item counts as a request for
// throttles, and as a called action for observers.

import { addCommittedCall } from '../../committed-calls.ts'
import type { HandlerContext } from '../../context.ts'
import { findTransaction } from '../../database/transaction.ts'
import { formatJson } from '../../exact-json.ts'
import { formatTypeName, invalid } from '../../fields/invalid.ts'
import { formatPathSegment, type KeyValue } from '../../keys/key.ts'
import { readBodyOfDelete } from '../../parsers/parser.ts'
import { applyPreference } from '../../prefer.ts'
import { type ApiResponse, JsonArray } from '../../response.ts'
import { checkThrottles } from '../../throttling/check-throttles.ts'
import type { CommittedCall, Handler, View } from '../../view.ts'
import { createObject, type PrepareUrlColumns, type ReadUrlColumns } from '../actions/create.ts'
import { destroyObject } from '../actions/destroy.ts'
import { updateObject } from '../actions/update.ts'
import type { BoundResource } from '../bound-resource.ts'
import { withData } from '../many/read-rows.ts'
import { respondOnce } from '../respond-once.ts'
import { seenBy } from '../seen-resource.ts'
import type { Bulk } from './bulk-option.ts'
import { type NamedItem, readNamedItems } from './named-items.ts'
import { createAll, destroyAll, updateAll, type Written } from './write-all.ts'
import { formatRefusal, type Outcome, writeEach } from './write-each.ts'

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
        async one(inside, item) {
          const [key, json, name = key] = await createObject(inside, withData(request, item), { readUrlColumns })
          return { key, name, json }
        },
      },
    )
  const plain = withoutEnvelope(bound)
  return async request => {
    const { requestBody: body } = request
    if (body.kind !== 'data' || !Array.isArray(body.data)) return createSingle(request)
    const items = await takeItems(body.data, location, request)
    return respondOnce(seenBy(plain, request), request, async () => {
      const readUrlColumns = await prepareUrlColumns(request)
      return entered => respond(entered, request, { items, readUrlColumns })
    })
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
    const { requestBody: body } = request
    const items = await takeItems(body.kind === 'data' ? body.data : undefined, location, request)
    const named = readNamedItems(bound.resource, items, { acceptsKeys: false })
    const seen = seenBy(plain, request)
    return runBulk(
      location,
      { bound: seen, request, items: named, status: 200 },
      {
        all: () => updateAll(seen, request, named, { partial }),
        async one(inside, item) {
          const name = readName(item)
          const json = await updateObject(inside, withData(request, item.data), { id: name, isKey: false, partial })
          return { key: name, name, json }
        },
      },
    )
  }
}

/** Deletes the objects that the items name. */
export const destroyMany =
  (bound: BoundResource, location: BulkLocation): Handler =>
  async request => {
    const body = await readBodyOfDelete(request.request, (request.view as View).parsers)
    const items = await takeItems(body.kind === 'data' ? body.data : undefined, location, request)
    const named = readNamedItems(bound.resource, items, { acceptsKeys: true })
    return runBulk(
      location,
      { bound, request, items: named, status: 204 },
      {
        all: () => destroyAll(bound, request, named),
        async one(inside, item) {
          const name = readName(item)
          await destroyObject(inside, request, { id: name, isKey: false })
          return { key: name, name }
        },
      },
    )
  }

// Created once per handler, because the statements of many objects are kept with the resource.
const withoutEnvelope = (bound: BoundResource): BoundResource =>
  bound.envelope === undefined ? bound : { ...bound, envelope: undefined }

function readName({ name, error }: NamedItem): KeyValue {
  if (name === undefined) throw error!
  return name
}

// Rejects with ValidationError, or with Throttled: the request itself has been counted as one.
async function takeItems(data: unknown, { bulk }: BulkLocation, request: HandlerContext): Promise<readonly unknown[]> {
  if (!Array.isArray(data)) throw invalid('not_a_list', { type: formatTypeName(data ?? null) })
  if (data.length > bulk.max) throw invalid('max_length.list', { max: bulk.max })
  const { throttles } = request.view as View
  if (data.length > 1 && throttles.length > 0) {
    const { refusal } = await checkThrottles(request, throttles, data.length - 1)
    if (refusal !== undefined) throw refusal
  }
  return data
}

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
  actions: { all(): Promise<readonly Written[]>; one(entered: BoundResource, item: Item): Promise<Written> },
): Promise<ApiResponse> {
  const { bound, request, items, status } = bulkRequest
  const { bulk } = location
  const outcomes = bulk.mode === 'atomic' ? await actions.all() : await writeEach(bound, items, actions)
  report(location, bulkRequest, outcomes.filter(isWritten))
  if (bulk.mode === 'each')
    return {
      status: 207,
      body: new JsonArray(outcomes.map(outcome => formatOutcome(location, bulkRequest, outcome))),
    }
  if (status === 204) return { status }
  const texts = outcomes.flatMap(outcome => ('json' in outcome ? outcome.json! : []))
  return applyPreference(request, { status, body: new JsonArray(texts) })
}

const isWritten = (outcome: Outcome): outcome is Written => !('error' in outcome)

function formatOutcome<Item>(
  { formatLinkedPath }: BulkLocation,
  { bound, request, status }: BulkRequest<Item>,
  outcome: Outcome,
): string {
  if (!isWritten(outcome)) return formatJson(formatRefusal(outcome.error, request))
  const { name, json } = outcome
  const location = `${request.baseUrl}${formatLinkedPath(request)}${formatPathSegment(name)}${bound.api.urlEnd}`
  const members = [
    `"status":${status}`,
    ...(status === 201 ? [`"location":${JSON.stringify(location)}`] : []),
    ...(json === undefined ? [] : [`"body":${json}`]),
  ]
  return `{${members.join()}}`
}

// Observers see a call for each item, once the transaction is committed.
function report<Item>(
  { pattern, objectPattern, formatPath }: BulkLocation,
  { bound, request, status }: BulkRequest<Item>,
  written: readonly Written[],
): void {
  const { root, findView } = request.view as View
  const view = findView(status === 201 ? pattern : objectPattern) ?? (request.view as View)
  const { id: viewId, auditEvent } = view
  const list = root + formatPath(request)
  const toCall = ({ name }: Written): CommittedCall => ({
    viewId,
    auditEvent,
    method: status === 200 ? 'PATCH' : status === 201 ? 'POST' : 'DELETE',
    path: status === 201 ? list : `${list}${formatPathSegment(name)}${bound.api.urlEnd}`,
    isRecorded: bound.recorder !== undefined,
  })
  const add = () => {
    for (const object of written) addCommittedCall(request.request, toCall(object))
  }
  const transaction = findTransaction(bound.database, undefined)
  if (transaction === undefined) add()
  else transaction.onCommit(add)
}
