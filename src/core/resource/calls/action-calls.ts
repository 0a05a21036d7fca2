// Calls of a resource's actions from code: `orders.create(values, context)`. A call runs the same checks as a request of
// its caller: permissions, row filters, validation and hooks, in the transaction of the calling code (decision 055).
// Throttles count requests, so they do not apply.

import { AsyncLocalStorage } from 'node:async_hooks'
import { parseIntegers } from '../../base/exact-json.ts'
import { nearestName } from '../../base/nearest-name.ts'
import { findTransaction, type Transaction } from '../../database/transaction.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type {
  ActionCalls,
  CallContext,
  CalledObject,
  CalledResource,
  CalledValues,
  HandlerContext,
} from '../../http/context.ts'
import { emptyBody, type RequestBody } from '../../http/parsers/request-body.ts'
import { JsonText } from '../../http/response.ts'
import { endUrl } from '../../http/urls/trailing-slash.ts'
import { formatPathSegment, type KeyValue } from '../../keys/key.ts'
import { findRefusal } from '../../policy/permissions/permission.ts'
import { addCommittedCalls } from '../../view/observers.ts'
import type { View } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { enterTransaction } from '../bind/restrict.ts'
import { seenBy } from '../bind/seen-resource.ts'
import { prepareEvents } from '../feed/feed-events.ts'
import { formatObjectPattern } from '../names/list-paths.ts'
import { createMissingRequest } from '../names/missing-request.ts'
import { represent } from '../read/retrieve.ts'
import { createObject } from '../write/create.ts'
import { destroyObject } from '../write/destroy.ts'
import { updateObject } from '../write/update.ts'

type CalledAction = 'create' | 'update' | 'destroy'

/** The part of an API that calls of its actions use. */
export interface CalledApi {
  /** Finds a resource of the API. */
  readonly findBound: (resource: CalledResource, options: FindOptions) => BoundResource
  /** Finds the view of an action, which permissions may read. */
  readonly findView: (resource: BoundResource, action: CalledAction) => View
}

export interface FindOptions {
  /** True: without its permissions. */
  readonly ignoresPermissions: boolean
  /** True: its update takes every writable field. */
  readonly takesAll: boolean
}

/**
 * Finds the API that runs the actions of a resource, and the base URL of that API for a context with this base URL. Throws
 * if no API has the resource, or several.
 */
export type FindCalledApi = (resource: CalledResource, baseUrl: string) => LocatedApi

interface LocatedApi {
  readonly api: CalledApi
  readonly baseUrl: string
}

/** A hook that calls its own action would otherwise run until the memory is full. */
const maxDepth = 100
const depths = new AsyncLocalStorage<number>()

const methods = { create: 'POST', update: 'PATCH', destroy: 'DELETE' } as const

/** Creates the calls of an API's actions. */
export function createActionCalls(findApi: FindCalledApi): ActionCalls {
  return {
    create: (resource, values, context) =>
      call(findApi, { resource, action: 'create', context, values }, async (bound, request) => {
        const { key, json } = await createObject(bound, request)
        return toCalledObject(key, json!)
      }),
    update: (resource, key, values, context) =>
      callUpdate(findApi, { resource, action: 'update', context, key, values }),
    change: (resource, key, values, context) =>
      callUpdate(findApi, { resource, action: 'update', context, key, values, takesAll: true }),
    restore: (resource, key, context) =>
      call(findApi, { resource, action: 'update', context, key, values: {} }, async (bound, request) => {
        const target = { id: key, isKey: true, partial: true }
        return new JsonText(await updateObject(clearDeletion(bound), request, target))
      }),
    destroy: (resource, key, context) =>
      call(findApi, { resource, action: 'destroy', context, key }, (bound, request) => {
        checkKey(bound, key)
        return destroyObject(bound, request, { id: key, isKey: true })
      }),
    async represent(resource, key, context) {
      const { api, baseUrl } = findApi(resource, context.baseUrl)
      const bound = api.findBound(resource, { ignoresPermissions: false, takesAll: false })
      return represent(bound, { ...context, baseUrl }, key, bound.database)
    },
    async followList(resource, query, context) {
      const { api, baseUrl } = findApi(resource, context.baseUrl)
      const bound = api.findBound(resource, { ignoresPermissions: false, takesAll: false })
      const call = { resource, action: 'create', context: { ...context, request: undefined }, baseUrl } as const
      const created = createRequest(api.findView(bound, 'create'), { ...call, bound }, emptyBody)
      const request = createMissingRequest(`${resource.name}.list()`, { url: `?${query}` })
      const listed = { ...created, method: 'GET', request }
      const refusal = await findRefusal(listed, bound.plans.list.permissions)
      if (refusal !== undefined) throw refusal
      return prepareEvents(bound, listed)
    },
  }
}

const callUpdate = (findApi: FindCalledApi, given: Call & { readonly key: KeyValue }): Promise<CalledObject> =>
  call(findApi, given, async (bound, request) => {
    const { key } = given
    checkKey(bound, key)
    return toCalledObject(key, await updateObject(bound, request, { id: key, isKey: true, partial: true }))
  })

/** The resource whose update brings back a deleted row. */
function clearDeletion(bound: BoundResource): BoundResource {
  const { name, filledColumns, restoredColumn: column } = bound.resource
  if (column === undefined)
    throw new Error(
      `restore(): no deleted row is an object of the resource "${name}": name the column deleted() of its table in "rows"`,
    )
  const update = [...filledColumns.update, { column, fill: 'default', value: null } as const]
  return { ...bound, resource: { ...bound.resource, filledColumns: { ...filledColumns, update } } }
}

interface Call {
  readonly resource: CalledResource
  readonly action: CalledAction
  readonly context: CallContext
  readonly key?: KeyValue
  readonly values?: CalledValues
  /** True: the values may contain every writable field. */
  readonly takesAll?: boolean
}

type Run<Result> = (bound: BoundResource, request: HandlerContext) => Promise<Result>

// The promise is that of `track`, which handles the rejection of a call that nothing awaits.
function call<Result>(findApi: FindCalledApi, given: Call, run: Run<Result>): Promise<Result> {
  try {
    const { resource, action, context, takesAll = false } = given
    const name = `${resource.name}.${action}()`
    const depth = findDepth(name)
    const { api, baseUrl } = findApi(resource, context.baseUrl)
    const called = { ...given, baseUrl }
    const bound = api.findBound(resource, { ignoresPermissions: context.ignoresPermissions === true, takesAll })
    const transaction = findTransaction(bound.database, context.connection)
    const start = () => depths.run(depth, () => runChecked(api, { called, bound, transaction }, run))
    return transaction === undefined ? start() : transaction.track(name, start)
  } catch (error) {
    return Promise.reject(error)
  }
}

function findDepth(name: string): number {
  const depth = (depths.getStore() ?? 0) + 1
  if (depth <= maxDepth) return depth
  throw new Error(`${name}: ${maxDepth} calls are nested: a hook calls an action that runs the same hook again`)
}

interface LocatedCall extends Call {
  /** That of the API that has the resource. */
  readonly baseUrl: string
}

interface FoundCall {
  readonly called: LocatedCall
  readonly bound: BoundResource
  readonly transaction: Transaction | undefined
}

async function runChecked<Result>(
  api: CalledApi,
  { called, bound, transaction }: FoundCall,
  run: Run<Result>,
): Promise<Result> {
  const { action, values, context } = called
  const request = createRequest(api.findView(bound, action), { ...called, bound }, createBody(bound, action, values))
  const refusal = await findRefusal(request, bound.plans[action].permissions)
  if (refusal !== undefined) throw refusal
  const seen = seenBy(bound, request)
  const result = await run(transaction === undefined ? seen : enterTransaction(seen, transaction), request)
  if (context.request !== undefined) report(bound.recorder !== undefined, request, transaction)
  return result
}

function report(
  isRecorded: boolean,
  { request, view, method, calledPath: path }: CalledRequest,
  transaction?: Transaction,
): void {
  const { id: viewId, auditEvent } = view
  const add = () => addCommittedCalls(request, [{ viewId, auditEvent, method, path, isRecorded }])
  if (transaction === undefined) add()
  else transaction.onCommit(add)
}

interface CalledRequest extends HandlerContext {
  readonly view: View
  readonly calledPath: string
}

function createRequest(
  view: View,
  { resource, action, context, key, baseUrl, bound }: LocatedCall & Pick<FoundCall, 'bound'>,
  requestBody: RequestBody,
): CalledRequest {
  const { user, auth, version, request = createMissingRequest(`${resource.name}.${action}()`) } = context
  const { root, path: pattern, urlEnd } = view
  const objectPattern = formatObjectPattern(bound.resource, { pattern: '' })
  // The path of a singleton contains no key.
  const path = objectPattern === '' ? pattern : pattern.replace(objectPattern, () => `${formatPathSegment(key!)}/`)
  const calledPath = endUrl(root + path, urlEnd)
  const setHeaders = () => undefined
  return { user, auth, version, baseUrl, request, view, method: methods[action], requestBody, setHeaders, calledPath }
}

// A request that contains other fields is valid, and they are ignored. In code, they are a mistake.
function createBody({ resource, plans }: BoundResource, action: CalledAction, values?: CalledValues): RequestBody {
  if (values === undefined) return emptyBody
  const { takes: fields } = plans[action]
  const data = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const writable = Object.entries(fields).flatMap(([name, field]) => (field.readOnly ? [] : nameOnWire(name, field)))
  const unknown = Object.keys(data).find(name => !writable.includes(name))
  if (unknown === undefined) return { kind: 'data', data }
  const start = `${resource.name}.${action}()`
  if (Object.hasOwn(resource.fields, unknown))
    throw new Error(`${start} cannot write the field "${unknown}", which is read-only there: remove it`)
  const nearest = nearestName(unknown, writable)
  const hint = nearest === undefined ? `the fields are ${writable.join(', ')}` : `write "${nearest}"`
  throw new Error(`${start}: there is no field "${unknown}": ${hint}`)
}

// Node runs TypeScript without checking types, so the key may be undefined.
function checkKey({ resource }: BoundResource, key: KeyValue | undefined): void {
  const parsed = resource.key.parse(String(key))
  if (parsed === undefined || parsed !== key) throw new NotFound()
}

const toCalledObject = (key: KeyValue, json: string): CalledObject => ({
  key,
  values: parseIntegers(json) as CalledObject['values'],
})
