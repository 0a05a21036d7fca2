// GET on a list: a page where the resource is paginated, else all of it as a stream with flat memory.

import type { HandlerContext } from '../../context.ts'
import type { Arguments, Database, SqlValue } from '../../database/database.ts'
import type { MaybePromise } from '../../maybe-promise.ts'
import type { Direction, PageSource, Position } from '../../pagination/paginator.ts'
import { everyFilter, type RowFilter } from '../../permissions/row-filter.ts'
import { JsonStream } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import { type Counts, createCounts } from '../counts.ts'
import { createListQueryParser, type ListQuery } from '../list-query.ts'
import { statementValues } from '../related-rows.ts'
import type { Resource } from '../resource.ts'
import {
  compileKeysetQuery,
  compileList,
  type KeysetQuery,
  type KeysetRow,
  type ListPlan,
  type ListStatements,
} from '../sql/list.ts'
import { completeOrdering, type Ordering, reverseOrdering } from '../sql/ordering.ts'
import { comparedColumn } from '../storage.ts'

const mostShapes = 200
const [firstRows, mostRows, growth] = [8, 500, 4]
const portionBytes = 1024 * 1024

/** Which of a resource's rows are listed, and where. */
export interface ListPlace {
  readonly filter: RowFilter | undefined
  /** The path of the list below the API's prefix. */
  path(context: HandlerContext): string
}

/** The handler that lists a resource. */
export function list(bound: BoundResource, { filter, path }: ListPlace): Handler {
  const { paginator, pageSize, secret, plans, related, route } = bound
  const { serialize } = plans.list
  const narrow = createListQueryParser(bound)
  const compiled = new Map<string, Compiled>()
  // Each shape of requests has statements of its own, made when it is first asked for.
  const compiledFor = ({ shape, ordering }: ListQuery, rows: RowFilter | undefined) => {
    const known = compiled.get(shape)
    if (known !== undefined) return known
    if (compiled.size >= mostShapes) compiled.clear()
    const made = compileShape(bound, rows, ordering)
    compiled.set(shape, made)
    return made
  }
  return async context => {
    const query = queryOf(context)
    const narrowing = await narrow(query, { baseUrl: context.baseUrl, route })
    const rows = narrowing.filter === undefined ? filter : everyFilter([...(filter ? [filter] : []), narrowing.filter])
    const asked: Asked = {
      ...compiledFor(narrowing, rows),
      base: context.baseUrl,
      rows: await statementValues(rows, related, context),
      present: json => serialize(json, context),
    }
    const request = { query, url: context.baseUrl + path(context), pageSize, secret }
    const page = await paginator?.paginate(request, pageSource(asked))
    if (page !== undefined) return { status: 200, ...page }
    return { status: 200, body: new JsonStream(portions(asked)) }
  }
}

function compileShape(
  bound: BoundResource,
  filter: RowFilter | undefined,
  names: readonly string[] | undefined,
): Compiled {
  const { database, resource, paginator, plans, related } = bound
  const plan: ListPlan = { fields: plans.list.fields, filter, related }
  const ordering = names === undefined ? resource.ordering : orderingBy(resource, names)
  return {
    database,
    statements: compileList(database, resource, plan, ordering),
    walks: paginator?.ordering && compileWalks(bound, plan, paginator.ordering),
    counts: createCounts(),
  }
}

interface Compiled {
  readonly database: Database
  readonly statements: ListStatements
  readonly walks: Walks | undefined
  readonly counts: Counts
}

/** A list with the values of one request. */
interface Asked extends Compiled {
  readonly base: string
  /** The values of the filter, and of the filters of related resources. */
  readonly rows: Arguments
  present(json: string): string
}

// Callers name fields, not columns.
function orderingBy({ fields, key }: Resource, names: readonly string[]): readonly Ordering[] {
  const columns = names.map(name => {
    const field = name.replace(/^-/, '')
    return (name.startsWith('-') ? '-' : '') + comparedColumn(field, fields[field]!)
  })
  return completeOrdering(columns, key, fields)
}

function queryOf({ request }: HandlerContext): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))
}

type Walks = Readonly<Record<Direction, KeysetQuery>>

function compileWalks({ database, resource }: BoundResource, plan: ListPlan, names: readonly string[]): Walks {
  const ordering = completeOrdering(names, resource.key, resource.fields)
  return {
    forward: compileKeysetQuery(database, resource, plan, ordering),
    backward: compileKeysetQuery(database, resource, plan, reverseOrdering(ordering)),
  }
}

function pageSource(asked: Asked): PageSource {
  const { database, statements, walks, counts, base, rows, present } = asked
  const count = async () => {
    const [row] = await database.run(statements.count, { ...rows, ...counts.known(rows) })
    counts.learn(rows, row!)
    return row![0]
  }
  return {
    count,
    async slice(offset, limit) {
      const page = await database.run(statements.page, { ...rows, ...counts.known(rows), base, offset, limit })
      const items = page.map(([json]) => present(json))
      if (page.length === 0) return { items, count: await count() }
      const [, ...counted] = page[0]!
      counts.learn(rows, counted)
      return { items, count: counted[0] }
    },
    async walk(direction, start, limit) {
      if (walks === undefined) throw new Error('a paginator that walks must name its "ordering"')
      const walked = await step(asked, walks[direction], start, limit)
      return walked.map(([json, ...position]) => ({ item: present(json), position }))
    },
  }
}

/** The rows behind a position, or the first ones. */
function step(
  { database, base, rows }: Asked,
  walk: KeysetQuery,
  position: Position | null,
  limit: number,
): MaybePromise<readonly KeysetRow[]> {
  const values: Record<string, SqlValue> = { ...rows, base, limit }
  if (position === null) return database.run(walk.first, values)
  for (const [index, value] of position.entries()) values[`position${index}`] = value
  return database.run(walk.after, values)
}

// Each portion is a statement of its own that begins behind the last row of the one before: no cursor stays open
// while a client reads slowly. The size follows the rows, and grows step by step, so that long ones do not pile up in
// memory.
async function* portions(asked: Asked): AsyncGenerator<readonly string[]> {
  const { statements, present } = asked
  let limit = firstRows
  let position: Position | null = null
  for (;;) {
    const rows: readonly KeysetRow[] = await step(asked, statements.keyset, position, limit)
    if (rows.length > 0) yield rows.map(([json]) => present(json))
    if (rows.length < limit) return
    const [, ...last] = rows.at(-1)!
    position = last
    limit = nextLimit(rows)
  }
}

function nextLimit(rows: readonly KeysetRow[]): number {
  const bytes = rows.reduce((sum, [json]) => sum + json.length, 0)
  const fitting = Math.floor((portionBytes * rows.length) / bytes)
  return Math.max(1, Math.min(mostRows, growth * rows.length, fitting))
}
