// GET on a list: a page where the resource is paginated, else all of it as a stream with flat memory.

import { JsonStream } from '../../answer.ts'
import type { Arguments, Database } from '../../database/database.ts'
import type { Direction, PageSource, Position } from '../../pagination/paginator.ts'
import type { Call, Handler } from '../../view.ts'
import type { Binding } from '../binding.ts'
import { completeOrdering, reverseOrdering } from '../ordering.ts'
import { compileWalk, type Walk, type WalkRow } from '../statements.ts'

const mostRows = 500
const portionBytes = 1024 * 1024

/** The handler that lists a resource. */
export function list(binding: Binding): Handler {
  const { resource, paginator, pageSize } = binding
  const walks = paginator?.ordering && compileWalks(binding, paginator.ordering)
  return async call => {
    const url = `${call.baseUrl}/${resource.name}/`
    const query = queryOf(call)
    const page = await paginator?.paginate({ query, url, pageSize }, pageSource(binding, walks, call.baseUrl))
    if (page !== undefined) return { status: 200, ...page }
    return { status: 200, content: new JsonStream(portions(binding, call.baseUrl)) }
  }
}

function queryOf({ request }: Call): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))
}

type Walks = Readonly<Record<Direction, Walk>>

function compileWalks({ database, resource }: Binding, names: readonly string[]): Walks {
  const ordering = completeOrdering(names, resource.key, resource.fields)
  return {
    forward: compileWalk(database, resource, ordering),
    backward: compileWalk(database, resource, reverseOrdering(ordering)),
  }
}

function pageSource({ database, statements }: Binding, walks: Walks | undefined, base: string): PageSource {
  const count = async () => (await database.run(statements.count, {}))[0]![0]
  return {
    count,
    async slice(offset, limit) {
      const rows = await database.run(statements.page, { base, offset, limit })
      return { items: rows.map(([json]) => json), count: rows[0]?.[1] ?? (await count()) }
    },
    async walk(direction, start, limit) {
      if (walks === undefined) throw new Error('a paginator that walks must name its "ordering"')
      const rows = await step(database, walks[direction], start, { base, limit })
      return rows.map(([item, ...position]) => ({ item, position }))
    },
  }
}

/** The rows behind a position, or the first ones. */
function step(
  database: Database,
  walk: Walk,
  position: Position | null,
  values: Arguments,
): Promise<readonly WalkRow[]> {
  if (position === null) return database.run(walk.first, values)
  const named = position.map((value, index) => [`position${index}`, value] as const)
  return database.run(walk.after, { ...values, ...Object.fromEntries(named) })
}

// Each portion is a statement of its own that begins behind the last row of the one before: no cursor stays open
// while a client reads slowly. The size follows the rows, so that long ones do not pile up in memory.
async function* portions({ database, statements }: Binding, base: string): AsyncGenerator<readonly string[]> {
  let limit = 50
  let position: Position | null = null
  for (;;) {
    const rows: readonly WalkRow[] = await step(database, statements.walk, position, { base, limit })
    if (rows.length > 0) yield rows.map(([json]) => json)
    if (rows.length < limit) return
    const [, ...last] = rows.at(-1)!
    position = last
    limit = nextLimit(rows)
  }
}

function nextLimit(rows: readonly WalkRow[]): number {
  const bytes = rows.reduce((sum, [json]) => sum + json.length, 0)
  return Math.max(1, Math.min(mostRows, Math.floor((portionBytes * rows.length) / bytes)))
}
