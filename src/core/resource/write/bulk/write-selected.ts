// Changes or deletes the objects that a person has selected on a page: each as the request for it alone would, with its permissions,
// checks, hooks and recorded change, but all in one transaction, because a commit takes longer than its statements (decision 084).

import { parseIntegers } from '../../../base/exact-json.ts'
import { NotFound } from '../../../errors/exceptions.ts'
import { listLookupParameters } from '../../../fields/identifier.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { formatBody } from '../../../http/response.ts'
import { parseSegment } from '../../../keys/parse-segment.ts'
import { findRefusal } from '../../../policy/permissions/permission.ts'
import type { FindValues, WriteSelected } from '../../../view/list-writes.ts'
import type { View } from '../../../view/view.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import { enterConnection, withoutEnvelope } from '../../bind/restrict.ts'
import { seenBy } from '../../bind/seen-resource.ts'
import type { Resource } from '../../declare/resource.ts'
import { createPathFormatter, formatObjectPattern } from '../../names/list-paths.ts'
import { retrieveSeen } from '../../read/retrieve.ts'
import { isItemError } from '../rows/settle-each.ts'
import { retryLostRaces } from '../write.ts'
import { createDestroyer, createUpdater, isWritten, reportWritten } from './bulk-handlers.ts'
import type { NamedItem } from './named-items.ts'
import { prepareLock } from './write-all.ts'
import { formatRefusal, type Outcome, writeEach } from './write-each.ts'

/** Creates the functions that write the selected objects, by method. */
export function createSelectedWriters(location: ResourceLocation): Readonly<Record<'PATCH' | 'DELETE', WriteSelected>> {
  const { objects: bound, list } = location
  const { resource, identifier } = bound
  const place = {
    pattern: list.pattern,
    objectPattern: formatObjectPattern(resource, list),
    formatPath: createPathFormatter(resource, list),
  }
  const plain = withoutEnvelope(bound)
  const nameAll = (segments: readonly string[], data: object): readonly SelectedItem[] =>
    segments.map(segment => {
      const name = parseSegment(segment, identifier)
      return { segment, data, field: 'detail', name, ...(name === undefined && { error: new NotFound() }) }
    })
  const listRefusals = (outcomes: readonly Outcome[], request: HandlerContext) =>
    outcomes.map(outcome => (isWritten(outcome) ? undefined : formatRefusal(outcome.error, request)))
  return {
    async PATCH(segments, values, request) {
      const seen = seenBy(plain, request)
      const update = (entered: BoundResource, items: readonly NamedItem[]) =>
        writeEach(entered, items, createUpdater(entered, request, items, { partial: true }))
      const outcomes =
        typeof values === 'function'
          ? await updateFound(seen, request, { items: nameAll(segments, {}), find: values as FindValues, update })
          : await update(seen, nameAll(segments, values))
      reportWritten(place, { bound, request, status: 200 }, outcomes.filter(isWritten))
      return listRefusals(outcomes, request)
    },
    async DELETE(segments, _values, request) {
      const items = nameAll(segments, {})
      const outcomes = await writeEach(bound, items, createDestroyer(bound, request, items))
      reportWritten(place, { bound, request, status: 204 }, outcomes.filter(isWritten))
      return listRefusals(outcomes, request)
    },
  }
}

interface SelectedItem extends NamedItem {
  /** The key of the object as its path contains it. */
  readonly segment: string
}

interface FoundUpdate {
  readonly items: readonly SelectedItem[]
  readonly find: FindValues
  readonly update: (entered: BoundResource, items: readonly NamedItem[]) => Promise<readonly Outcome[]>
}

// The values of an object depend on its state, so it is locked before it is read.
async function updateFound(
  bound: BoundResource,
  request: HandlerContext,
  { items, find, update }: FoundUpdate,
): Promise<readonly Outcome[]> {
  const getView = (request.view as View).forMethod('GET')
  const error = await findRefusal({ ...request, method: 'GET', view: getView }, getView.permissions)
  if (error !== undefined) return items.map(() => ({ error }))
  const lock = await prepareLock(bound, request, 'update', items)
  return retryLostRaces(() =>
    bound.database.transaction(async connection => {
      await lock(connection)
      const entered = enterConnection(bound, connection)
      const read = createReader(entered, { ...request, method: 'GET', view: getView })
      const found: (NamedItem & Partial<Outcome>)[] = []
      for (const item of items) found.push(await findData(item, read, find))
      const valid = found.filter(({ error }) => error === undefined)
      const written = (await update(entered, valid)).values()
      return found.map(({ error }) => (error === undefined ? written.next().value! : { error }))
    }),
  )
}

// The texts that the router would find in the path.
const nameParameters = (resource: Resource, segment: string): Readonly<Record<string, string>> => {
  const names = listLookupParameters(resource)
  return names.length === 1
    ? { key: segment }
    : Object.fromEntries(segment.split('/').map((text, index) => [names[index]!, decodeURIComponent(text)]))
}

type ReadShown = (segment: string) => Promise<Readonly<Record<string, unknown>>>

function createReader(entered: BoundResource, context: HandlerContext): ReadShown {
  const retrieve = retrieveSeen(entered)
  const params = context.request.params as object
  const { 'if-none-match': _, ...headers } = context.request.headers
  return async segment => {
    const request = Object.create(context.request, {
      method: { value: 'GET' },
      params: { value: { ...params, ...nameParameters(entered.resource, segment) } },
      headers: { value: headers },
    })
    const { body } = await retrieve({ ...context, request })
    return parseIntegers(formatBody(body!)) as Readonly<Record<string, unknown>>
  }
}

async function findData(item: SelectedItem, read: ReadShown, find: FindValues): Promise<NamedItem> {
  if (item.error !== undefined) return item
  try {
    return { ...item, data: find(await read(item.segment)) }
  } catch (error) {
    if (isItemError(error)) return { ...item, error }
    throw error
  }
}
