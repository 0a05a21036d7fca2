// GET on a list: a page where the resource is paginated, else all of it as a stream with flat memory.

import { JsonStream } from '../../answer.ts'
import type { SqlValue, Statement } from '../../database/database.ts'
import type { PageSource } from '../../pagination/paginator.ts'
import type { Call, Handler } from '../../view.ts'
import type { Binding } from '../binding.ts'

type PortionRow = readonly [json: string, ...position: SqlValue[]]

const mostRows = 500
const portionBytes = 1024 * 1024

/** The handler that lists a resource. */
export function list(binding: Binding): Handler {
  const { resource, paginator, pageSize } = binding
  return async call => {
    const url = `${call.baseUrl}/${resource.name}/`
    const query = queryOf(call)
    const page = await paginator?.paginate({ query, url, pageSize }, pageSource(binding, call.baseUrl))
    if (page !== undefined) return { status: 200, ...page }
    return { status: 200, content: new JsonStream(portions(binding, call.baseUrl)) }
  }
}

function queryOf({ request }: Call): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))
}

function pageSource({ database, statements }: Binding, base: string): PageSource {
  const count = async () => (await database.run(statements.count, {}))[0]![0]
  return {
    count,
    async slice(offset, limit) {
      const rows = await database.run(statements.page, { base, offset, limit })
      return { items: rows.map(([json]) => json), count: rows[0]?.[1] ?? (await count()) }
    },
  }
}

// Each portion is a statement of its own that begins behind the last row of the one before: no cursor stays open
// while a client reads slowly. The size follows the rows, so that long ones do not pile up in memory.
async function* portions({ database, statements }: Binding, base: string): AsyncGenerator<readonly string[]> {
  let limit = 50
  let statement: Statement<PortionRow> = statements.first
  let position: Record<string, SqlValue> = {}
  for (;;) {
    const rows = await database.run(statement, { ...position, base, limit })
    if (rows.length > 0) yield rows.map(([json]) => json)
    if (rows.length < limit) return
    const [, ...last] = rows.at(-1)!
    position = Object.fromEntries(last.map((value, index) => [`position${index}`, value]))
    statement = statements.after
    limit = nextLimit(rows)
  }
}

function nextLimit(rows: readonly PortionRow[]): number {
  const bytes = rows.reduce((sum, [json]) => sum + json.length, 0)
  return Math.max(1, Math.min(mostRows, Math.floor((portionBytes * rows.length) / bytes)))
}
