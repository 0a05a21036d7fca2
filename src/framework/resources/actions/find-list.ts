// Reads the rows of a list: a page in one statement, or the whole of a list that is not paginated in portions.

import type { Arguments, Database, SqlValue } from '../../database/database.ts'
import { isPromise, type MaybePromise } from '../../maybe-promise.ts'
import type { CountedPlan, KeysetPlan, Page, PagePlan, Position, UncountedPlan } from '../../pagination/paginator.ts'
import { type ApiResponse, JsonArray, JsonStream } from '../../response.ts'
import { timeSlices } from '../../time-slices.ts'
import type { CompiledList } from '../list-shape.ts'
import type { KeysetQuery, KeysetRow } from '../sql/list.ts'

/** A list with the values of one request. */
export interface ListSource {
  readonly database: Database
  readonly compiled: CompiledList
  /** The values of the filter. */
  readonly values: Arguments
  /** The API's URL. */
  readonly base: string
}

/** What was found of a list. */
export interface FoundList {
  /** The length of all items together, in UTF-16 units; undefined if the list must not be cached. */
  readonly size: number | undefined
  /** The response; `serialize` makes the JSON of an item, where that is not what the database wrote. */
  createResponse(serialize: Serialize | undefined): MaybePromise<ApiResponse>
}

type Serialize = (json: string) => string

/** Reads the part of the list that a page needs. */
export function findPage(source: ListSource, plan: PagePlan): Promise<FoundList> {
  if (plan.kind === 'counted') return findCounted(source, plan)
  return plan.kind === 'keyset' ? findKeyset(source, plan) : findUncounted(source, plan)
}

async function findCounted({ database, compiled, values, base }: ListSource, plan: CountedPlan): Promise<FoundList> {
  const { statements, counts } = compiled
  const { offset, limit, createPage } = plan
  const known = { ...values, ...counts.known(values) }
  const rows =
    offset === 'last'
      ? await database.run(statements.lastPage, { ...known, base, limit })
      : await database.run(statements.page, { ...known, base, limit, offset })
  // Without a row, none says how many there are.
  const [, ...counted] = rows[0] ?? ['', ...(await database.run(statements.count, known))[0]!]
  counts.learn(values, counted)
  return foundItems(rows, items => createPage(items, counted[0]))
}

async function findUncounted(source: ListSource, plan: UncountedPlan): Promise<FoundList> {
  const { database, compiled, values, base } = source
  const { offset, limit, createPage } = plan
  return foundItems(await database.run(compiled.statements.slice, { ...values, base, offset, limit }), createPage)
}

async function findKeyset(source: ListSource, plan: KeysetPlan): Promise<FoundList> {
  const { keyset } = source.compiled
  if (keyset === undefined) throw new Error('a paginator with keyset plans must name its "ordering"')
  const { direction, position, limit, createPage } = plan
  const rows = await readKeyset(source, keyset[direction], position, limit)
  return foundItems(rows, items =>
    createPage(items.map((item, index) => ({ item, position: positionOf(rows[index]!) }))),
  )
}

/** Found rows, whose items become the page. */
function foundItems(
  rows: readonly (readonly [json: string, ...unknown[]])[],
  createPage: (items: readonly string[]) => Page,
): FoundList {
  const items = rows.map(([json]) => json)
  return {
    size: lengthOf(items),
    createResponse: async serialize => ({ status: 200, ...createPage(await serializeAll(items, serialize)) }),
  }
}

const positionOf = ([, ...position]: KeysetRow): Position => position

function lengthOf(items: readonly string[]): number {
  let length = 0
  for (const item of items) length += item.length
  return length
}

/** The rows behind a position, or the first ones. */
function readKeyset(
  { database, base, values }: ListSource,
  query: KeysetQuery,
  position: Position | null,
  limit: number,
): MaybePromise<readonly KeysetRow[]> {
  const given: Record<string, SqlValue> = { ...values, base, limit }
  if (position === null) return database.run(query.first, given)
  for (const [index, value] of position.entries()) given[`position${index}`] = value
  return database.run(query.after, given)
}

/** A list up to this length, in UTF-16 units, is read as a whole, so that it can be kept; a longer one is a stream. */
const wholeLength = 64 * 1024
const mostPortionsAhead = 4

/** Reads a list that is not paginated: its beginning now, and the rest while the response is sent. */
export async function findWhole(source: ListSource): Promise<FoundList> {
  const portions = createPortions(source)
  // Nothing is kept of a database without a version, so there is no reason to read ahead.
  const ahead = source.database.version === undefined ? 1 : mostPortionsAhead
  const items: string[] = []
  for (let count = 0; count < ahead && !portions.isAtEnd() && lengthOf(items) <= wholeLength; count++)
    items.push(...(await portions.next()))
  if (!portions.isAtEnd())
    return { size: undefined, createResponse: serialize => streamResponse(items, portions, serialize) }
  return {
    size: lengthOf(items),
    createResponse: async serialize => ({ status: 200, body: new JsonArray(await serializeAll(items, serialize)) }),
  }
}

function streamResponse(
  beginning: readonly string[],
  portions: Portions,
  serialize: Serialize | undefined,
): ApiResponse {
  async function* stream() {
    yield serializeAll(beginning, serialize)
    while (!portions.isAtEnd()) yield serializeAll(await portions.next(), serialize)
  }
  return { status: 200, body: new JsonStream(stream()) }
}

const serializeAll = (items: readonly string[], serialize: Serialize | undefined): MaybePromise<readonly string[]> =>
  serialize === undefined ? items : timeSlices.map(items, serialize)

interface Portions {
  /** The items of the next portion. */
  next(): MaybePromise<readonly string[]>
  isAtEnd(): boolean
}

// Each portion is a statement of its own that begins behind the last row of the one before: no cursor stays open while a
// client reads slowly (decision 005). On SQLite a statement runs in the process, so each has a slice of time.
function createPortions(source: ListSource): Portions {
  const { statements, portionSize } = source.compiled
  let limit = portionSize.first()
  let position: Position | null = null
  let isAtEnd = false
  const take = (rows: readonly KeysetRow[], time: number): readonly string[] => {
    const items = rows.map(([json]) => json)
    if (rows.length < limit) isAtEnd = true
    else {
      position = positionOf(rows.at(-1)!)
      limit = portionSize.next({ rows: rows.length, length: lengthOf(items), time })
    }
    return items
  }
  const read = () => {
    const start = timeSlices.now()
    const rows = readKeyset(source, statements.keyset, position, limit)
    // What the database does in a process of its own takes no time of this one.
    return isPromise(rows) ? rows.then(found => take(found, 0)) : take(rows, timeSlices.now() - start)
  }
  return { next: () => timeSlices.run(read), isAtEnd: () => isAtEnd }
}
