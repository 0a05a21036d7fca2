// Turns changes of rows into events for a caller. The list of the request decides which rows exist, before and after: a row that
// leaves it is hidden, and one that was never in it has no event.

import { createBoundedMap } from '../../base/bounded-map.ts'
import { parseIntegers } from '../../base/exact-json.ts'
import type { Arguments } from '../../database/database.ts'
import type { FindRowEvents, HandlerContext, RowChange, RowEvent } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import { addCondition, readAddedValues } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { handleAsSelected, parseSearch } from '../bind/seen-resource.ts'
import { createListQueryParser, type ListScope, readQueryValues } from '../read/list.ts'
import { compileFeed, type FeedStatements } from '../sql/feed.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { readStatementValues } from '../sql/related-rows.ts'
import { keepStoredJson } from '../sql/serializer.ts'

const maxShapes = 100

/** Creates the function that prepares the events of a request. It rejects as the list does for a wrong query. */
export const createEventFinder = (
  bound: BoundResource,
  scope: ListScope,
): ((context: HandlerContext) => Promise<FindRowEvents>) => {
  const prepare = handleAsSelected(bound, 'list', seen => prepareSeen(seen, scope))
  return async context => prepare(context)
}

const finders = new WeakMap<BoundResource, ReturnType<typeof createEventFinder>>()

/** Prepares the events of a list for code. Unlike a request, it may not have unknown parameters. */
export function prepareEvents(bound: BoundResource, context: HandlerContext): Promise<FindRowEvents> {
  const scope = { filter: bound.plans.list.filter, path: () => '' }
  const finder = finders.get(bound) ?? createEventFinder({ ...bound, strict: true }, scope)
  finders.set(bound, finder)
  return finder(context)
}

function prepareSeen(bound: BoundResource, { filter: scope }: ListScope) {
  const { api, plans, related, parameterNames } = bound
  const { serializer, readRequestValues } = plans.list
  const parseQuery = createListQueryParser({ ...bound, reservedParameters: [...bound.reservedParameters, 'since'] })
  const shapes = createBoundedMap<string, FeedStatements>({ maxSize: maxShapes })
  return async (context: HandlerContext): Promise<FindRowEvents> => {
    const search = parseSearch(context.request.url)
    const query = new URLSearchParams(search)
    for (const name of [parameterNames.search, parameterNames.ordering]) query.delete(name)
    const { shape, filter } = await parseQuery(query, api.createParseContext(context.baseUrl))
    const { conditions } = await readQueryValues(bound, query.toString(), context)
    const values: Arguments = {
      ...(await readStatementValues(scope, related, context)),
      ...(filter && (await readAddedValues(filter, context))),
      ...conditions,
      ...readRequestValues(context),
      base: context.baseUrl,
    }
    const statements =
      shapes.get(shape) ?? compileFeed(bound, filter === undefined ? scope : addCondition(scope, filter))
    shapes.set(shape, statements)
    const find: FindRowEvents = changes => findEvents(bound, statements, values, changes)
    if (serializer === keepStoredJson) return changes => shareEvents(statements, values, changes, find)
    return async changes => serializeEvents(await find(changes), texts => serializer.serializeAll(texts, context))
  }
}

interface VisibleRow {
  readonly key: KeyValue
  readonly name: KeyValue
  readonly text?: string
}

async function findEvents(
  { database, resource }: BoundResource,
  { current, former }: FeedStatements,
  values: Arguments,
  { rows }: Changes,
): Promise<readonly RowEvent[]> {
  const changed = [...rows.values()]
  if (changed.length === 0) return []
  const keys = formatKeyList(
    database.dialect,
    resource.key,
    changed.map(({ key }) => key),
  )
  const ids = JSON.stringify(changed.flatMap(({ formerIds }) => formerIds))
  const read = async (statement: FeedStatements['current'], more: Arguments) => {
    const [json] = (await database.latest(statement, { ...values, ...more }))!
    return Map.groupBy(parseIntegers(json) as readonly VisibleRow[], ({ key }) => String(key))
  }
  const [before, after] = [await read(former, { ids }), await read(current, { keys })]
  return changed.flatMap(change => {
    const key = String(change.key)
    return describeChange(change, before.get(key) ?? [], after.get(key)?.[0])
  })
}

// An earlier delivery may have shown the row in any of these states, because it read the row when further changes had been made. So
// the row was in the list if one of its former states was.
function describeChange(
  change: RowChange,
  before: readonly VisibleRow[],
  after: VisibleRow | undefined,
): readonly RowEvent[] {
  const { isNew, isDeleted } = change
  const names = new Set(before.map(({ name }) => name))
  const isKnown = after !== undefined && names.delete(after.name)
  const left = isDeleted ? 'deleted' : 'hidden'
  const leaving = [...names].map(key => ({ event: left, key, change }) as const)
  if (after === undefined) return leaving
  const event = isNew ? 'created' : isKnown ? 'changed' : 'visible'
  return [...leaving, { event, key: after.name, object: after.text!, change }]
}

type Changes = Parameters<FindRowEvents>[0]

type SharedEvents = WeakMap<Changes, Map<string, Promise<readonly RowEvent[]>>>

const sharedEvents = new WeakMap<FeedStatements, SharedEvents>()

// Callers with the same rights and the same query get the same events.
function shareEvents(
  statements: FeedStatements,
  values: Arguments,
  changes: Changes,
  find: FindRowEvents,
): Promise<readonly RowEvent[]> {
  const ofStatements: SharedEvents = sharedEvents.get(statements) ?? new WeakMap()
  sharedEvents.set(statements, ofStatements)
  const ofChanges = ofStatements.get(changes) ?? new Map()
  ofStatements.set(changes, ofChanges)
  const key = JSON.stringify(values)
  const finding = ofChanges.get(key) ?? find(changes)
  ofChanges.set(key, finding)
  return finding
}

async function serializeEvents(
  events: readonly RowEvent[],
  serializeAll: (texts: readonly string[]) => Promise<readonly string[]> | readonly string[],
): Promise<readonly RowEvent[]> {
  const shown = events.filter(({ object }) => object !== undefined)
  const texts = await serializeAll(shown.map(({ object }) => object!))
  const byEvent = new Map(shown.map((event, index) => [event, texts[index]!]))
  return events.map(event => ({ ...event, ...(byEvent.has(event) && { object: byEvent.get(event)! }) }))
}

/** The JSON of an event's key and object. */
export const formatEvent = ({ key, object }: Pick<RowEvent, 'key' | 'object'>): string =>
  `"key":${JSON.stringify(key)}${object === undefined ? '' : `,"object":${object}`}`
