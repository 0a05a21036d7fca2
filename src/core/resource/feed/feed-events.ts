// Turns changes of rows into events for a caller. The list of the request decides which rows exist, before and after: a row that
// leaves it is hidden, and one that was never in it has no event.

import { createBoundedMap } from '../../base/bounded-map.ts'
import { parseIntegers } from '../../base/exact-json.ts'
import type { Arguments } from '../../database/database.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import { addCondition, readAddedValues } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { handleAsSelected, parseSearch } from '../bind/seen-resource.ts'
import { createListQueryParser, type ListScope, readQueryValues } from '../read/list.ts'
import { compileFeed, type FeedStatements } from '../sql/feed.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { readStatementValues } from '../sql/related-rows.ts'
import { keepStoredJson } from '../sql/serializer.ts'
import type { Changes, RowChange } from './change-log.ts'

/** A change in the list of a caller. */
export interface FeedEvent {
  /** `visible` and `hidden`: a changed row has entered or left the list. */
  readonly event: 'created' | 'changed' | 'deleted' | 'visible' | 'hidden'
  /** The value in the URL of the object. */
  readonly key: KeyValue
  /** The JSON of the object; undefined if it is not in the list any more. */
  readonly object?: string
}

/** Finds the events of a caller. */
export type FindEvents = (changes: Changes) => Promise<readonly FeedEvent[]>

const maxShapes = 100

/** Creates the function that prepares the events of a request. It rejects as the list does for a wrong query. */
export const createEventFinder = (
  bound: BoundResource,
  scope: ListScope,
): ((context: HandlerContext) => Promise<FindEvents>) => {
  const prepare = handleAsSelected(bound, 'list', seen => prepareSeen(seen, scope))
  return async context => prepare(context)
}

function prepareSeen(bound: BoundResource, { filter: scope }: ListScope) {
  const { api, plans, related, parameterNames } = bound
  const { serializer, readRequestValues } = plans.list
  const parseQuery = createListQueryParser({ ...bound, reservedParameters: [...bound.reservedParameters, 'since'] })
  const shapes = createBoundedMap<string, FeedStatements>({ maxSize: maxShapes })
  return async (context: HandlerContext): Promise<FindEvents> => {
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
    const find: FindEvents = changes => findEvents(bound, statements, values, changes)
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
): Promise<readonly FeedEvent[]> {
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
  { isNew, isDeleted }: RowChange,
  before: readonly VisibleRow[],
  after: VisibleRow | undefined,
): readonly FeedEvent[] {
  const names = new Set(before.map(({ name }) => name))
  const isKnown = after !== undefined && names.delete(after.name)
  const left = isDeleted ? 'deleted' : 'hidden'
  const leaving = [...names].map(key => ({ event: left, key }) as const)
  if (after === undefined) return leaving
  const event = isNew ? 'created' : isKnown ? 'changed' : 'visible'
  return [...leaving, { event, key: after.name, object: after.text! }]
}

type SharedEvents = WeakMap<Changes, Map<string, Promise<readonly FeedEvent[]>>>

const sharedEvents = new WeakMap<FeedStatements, SharedEvents>()

// Callers with the same rights and the same query get the same events.
function shareEvents(
  statements: FeedStatements,
  values: Arguments,
  changes: Changes,
  find: FindEvents,
): Promise<readonly FeedEvent[]> {
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
  events: readonly FeedEvent[],
  serializeAll: (texts: readonly string[]) => Promise<readonly string[]> | readonly string[],
): Promise<readonly FeedEvent[]> {
  const shown = events.filter(({ object }) => object !== undefined)
  const texts = await serializeAll(shown.map(({ object }) => object!))
  const byEvent = new Map(shown.map((event, index) => [event, texts[index]!]))
  return events.map(event => ({ ...event, ...(byEvent.has(event) && { object: byEvent.get(event)! }) }))
}

/** The JSON of an event's key and object. */
export const formatEvent = ({ key, object }: FeedEvent): string =>
  `"key":${JSON.stringify(key)}${object === undefined ? '' : `,"object":${object}`}`
