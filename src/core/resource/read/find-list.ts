// Reads the rows of a list: a page in one statement, or a list without pagination in portions.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import { timeSlices } from '../../base/time-slices.ts'
import type { Arguments, Database, SqlValue } from '../../database/database.ts'
import { type Envelope, findPageNames } from '../../http/envelope/envelope.ts'
import { type ApiResponse, JsonArray, JsonPage, JsonStream, tagOnly } from '../../http/response.ts'
import type { CountedPlan, KeysetPlan, Page, PagePlan, Position, UncountedPlan } from '../../pagination/paginator.ts'
import { addExpanded, wrapPage } from '../../view/envelope/wrap.ts'
import type { SeparateRelation } from '../query/selection/selected-fields.ts'
import type { KeysetQuery, KeysetRow } from '../sql/list.ts'
import type { CompiledList } from './compiled-list.ts'
import { separateExpanded } from './separate-expanded.ts'

/** A compiled list and the values of one request. */
export interface ListSource {
  readonly database: Database
  readonly compiled: CompiledList
  /** The values of the filter. */
  readonly values: Arguments
  /** The values that the SQL of the representations and of the order uses: the API's URL, and parts of the request. */
  readonly representationValues: Arguments
  readonly envelope: Envelope | undefined
  /** The expanded relations whose objects a page shows apart from its items. */
  readonly separateRelations: readonly SeparateRelation[] | undefined
}

/** The rows that were found, before they are serialized. */
export interface FoundList {
  /** The total length of the items, in UTF-16 units; undefined if the list must not be cached. */
  readonly size: number | undefined
  /** Creates the response. `serialize` adds computed fields to the items; undefined if there are none. */
  createResponse(serialize: Serialize | undefined): MaybePromise<ApiResponse>
}

type Serialize = (items: readonly string[]) => MaybePromise<readonly string[]>

/** Reads the part of the list that a page needs. */
export function findPage(source: ListSource, plan: PagePlan): Promise<FoundList> {
  if (plan.kind === 'counted') return findCounted(source, plan)
  return plan.kind === 'keyset' ? findKeyset(source, plan) : findUncounted(source, plan)
}

async function findCounted(source: ListSource, plan: CountedPlan): Promise<FoundList> {
  const { database, compiled, values, representationValues } = source
  const { statements, counts } = compiled
  const { offset, limit, createPage } = plan
  if (plan.checkCount !== undefined) {
    const counted = (await database.run(statements.count, { ...values, ...counts.find(values) }))[0]!
    counts.store(values, counted)
    plan.checkCount(counted[0])
  }
  const countValues = { ...values, ...counts.find(values) }
  const pageValues = { ...countValues, ...representationValues, limit }
  const rows =
    offset === 'last'
      ? await database.run(statements.lastPage, pageValues)
      : await database.run(statements.page, { ...pageValues, offset })
  // The count is a column of each row; if the page is empty, the count takes a separate statement.
  const [, ...count] = rows[0] ?? ['', ...(await database.run(statements.count, countValues))[0]!]
  counts.store(values, count)
  return createFoundList(source, rows, items => createPage(items, count[0]))
}

async function findUncounted(source: ListSource, plan: UncountedPlan): Promise<FoundList> {
  const { database, compiled, values, representationValues } = source
  const { offset, limit, createPage } = plan
  const sliceValues = { ...values, ...representationValues, offset, limit }
  return createFoundList(source, await database.run(compiled.statements.slice, sliceValues), createPage)
}

async function findKeyset(source: ListSource, plan: KeysetPlan): Promise<FoundList> {
  const { keyset } = source.compiled
  if (keyset === undefined) throw new Error('a paginator with keyset plans must name its "ordering"')
  const { direction, position, limit, createPage } = plan
  const rows = await readKeyset(source, keyset[direction], position, limit)
  return createFoundList(source, rows, items =>
    createPage(items.map((item, index) => ({ item, position: toPosition(rows[index]!) }))),
  )
}

function createFoundList(
  { envelope, separateRelations }: ListSource,
  rows: readonly (readonly [json: string, ...unknown[]])[],
  createPage: (items: readonly string[]) => Page,
): FoundList {
  const items = rows.map(([json]) => json)
  return {
    size: measureLength(items),
    async createResponse(serialize) {
      const serialized = await serializeAll(items, serialize)
      const separated = separateRelations && separateExpanded(serialized, separateRelations)
      const { status = 200, body, headers } = createPage(separated?.items ?? serialized)
      const validators = status < 400 ? { validators: tagOnly } : {}
      const page = wrapPage(body, envelope)
      const shown = separated ? addExpanded(page, separated.expanded, envelope!) : page
      return { status, ...(headers && { headers }), body: shown, ...validators }
    },
  }
}

const toPosition = ([, ...position]: KeysetRow): Position => position

function measureLength(items: readonly string[]): number {
  let length = 0
  for (const item of items) length += item.length
  return length
}

/** Reads the rows after a position; null for the first rows. */
function readKeyset(
  { database, values, representationValues }: ListSource,
  query: KeysetQuery,
  position: Position | null,
  limit: number,
): MaybePromise<readonly KeysetRow[]> {
  const parameters: Record<string, SqlValue> = { ...values, ...representationValues, limit }
  if (position === null) return database.run(query.first, parameters)
  for (const [index, value] of position.entries()) parameters[`position${index}`] = value
  return database.run(query.after, parameters)
}

/** A list up to this length, in UTF-16 units, is read completely, so that it can be cached. A longer one is streamed. */
const maxBufferedLength = 64 * 1024
const maxPortionsAhead = 4
/** In rows. */
const [firstPortion, maxPortion] = [8, 500]
/** In UTF-16 units, estimated from the previous portion. It bounds the memory of a portion, and thereby its time. */
const maxPortionLength = 256 * 1024

/** Reads a list without pagination: the first portions now, the rest while the response is sent. */
export async function findWholeList(source: ListSource): Promise<FoundList> {
  const portions = createPortions(source)
  const name = source.envelope && findPageNames(source.envelope).results
  // A list of a database without a version is not cached, so reading ahead has no use.
  const ahead = source.database.version === undefined ? 1 : maxPortionsAhead
  const items: string[] = []
  const { separateRelations } = source
  // Objects that the whole list shows once can be sent only with its end.
  const isBuffered = (count: number) =>
    separateRelations !== undefined || (count < ahead && measureLength(items) <= maxBufferedLength)
  for (let count = 0; !portions.isAtEnd() && isBuffered(count); count++)
    for (const item of await portions.next()) items.push(item)
  if (!portions.isAtEnd())
    return {
      size: undefined,
      createResponse: serialize => streamResponse({ firstItems: items, portions, name }, serialize),
    }
  if (separateRelations !== undefined)
    return createFoundList(
      source,
      items.map(item => [item]),
      all => ({ body: new JsonPage(all, undefined) }),
    )
  return {
    size: measureLength(items),
    createResponse: async serialize => ({
      status: 200,
      body: new JsonArray(await serializeAll(items, serialize), name),
      validators: tagOnly,
    }),
  }
}

interface StreamedList {
  readonly firstItems: readonly string[]
  readonly portions: Portions
  /** The name of the items; undefined if the body is an array. */
  readonly name: string | undefined
}

function streamResponse({ firstItems, portions, name }: StreamedList, serialize: Serialize | undefined): ApiResponse {
  async function* stream() {
    yield serializeAll(firstItems, serialize)
    while (!portions.isAtEnd()) yield serializeAll(await portions.next(), serialize)
  }
  return { status: 200, body: new JsonStream(stream(), name) }
}

const serializeAll = (items: readonly string[], serialize: Serialize | undefined): MaybePromise<readonly string[]> =>
  serialize === undefined ? items : serialize(items)

interface Portions {
  /** The items of the next portion. */
  next(): MaybePromise<readonly string[]>
  isAtEnd(): boolean
}

// Each portion is a separate statement that starts after the last row of the previous portion, so no cursor stays open
// while a client reads slowly (decision 005). SQLite runs statements in this process, so each gets a time slice.
function createPortions(source: ListSource): Portions {
  const { statements } = source.compiled
  let limit = firstPortion
  let position: Position | null = null
  let isAtEnd = false
  const acceptRows = (rows: readonly KeysetRow[]): readonly string[] => {
    const items = rows.map(([json]) => json)
    if (rows.length < limit) isAtEnd = true
    else {
      position = toPosition(rows.at(-1)!)
      const rowsInLength = Math.floor((maxPortionLength * limit) / measureLength(items))
      limit = Math.max(1, Math.min(maxPortion, 4 * limit, rowsInLength))
    }
    return items
  }
  const read = () => {
    const rows = readKeyset(source, statements.keyset, position, limit)
    return isPromise(rows) ? rows.then(acceptRows) : acceptRows(rows)
  }
  return { next: () => timeSlices.run(read), isAtEnd: () => isAtEnd }
}
