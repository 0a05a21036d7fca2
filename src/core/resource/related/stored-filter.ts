// The row filter of conditions that are data. Its statements are compiled for each text of conditions that callers have.

import { sql } from 'kysely'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { chooseCondition } from '../../database/database.ts'
import type { RequestContext } from '../../http/context.ts'
import { rowFilter } from '../../policy/permissions/built-in-permissions.ts'
import { joinConditions, type RowFilter } from '../../policy/permissions/row-filter.ts'
import type { Condition, StoredConditions } from '../../tables/condition.ts'
import type { Table } from '../../tables/table.ts'
import { findSchemaTables } from '../../tables/tables.ts'
import { logError, printError } from '../../view/errors/log-error.ts'
import { loggableError } from '../../view/errors/loggable-error.ts'
import { isMissing } from '../names/missing-request.ts'
import { compileCondition, compileExistence, createScope } from './compile-condition.ts'
import { formatStored, listStored, readStored } from './read-stored.ts'

const maxKnown = 1000
const maxKnownLength = 10_000

// The space prevents a conflict with a property of the caller.
const textName = 'stored conditions'

/** Creates the row filter. A condition that is wrong gives no rights, and its error is logged. */
export function createStoredFilter({ load }: StoredConditions, table: Table): RowFilter {
  const read = createReader(table)
  const others = filterExisting(table)
  return {
    ...(others.volatile && { volatile: true }),
    where: row => chooseCondition(row.value(textName), text => filterText(text, table).where(row)),
    async values(context) {
      const report = (error: unknown) => reportWrong(context, error, table)
      const found: string[] = []
      for (const each of listStored(await load(context))) found.push(...(await read(each, report)))
      return { ...(await others.values(context)), [textName]: formatStored(found, report) }
    },
  }
}

// The rows of any table may depend on the caller, and conditions name tables that are not known before.
const filterExisting = (table: Table): RowFilter =>
  rowFilter(scope =>
    joinConditions([
      sql`true`,
      ...findSchemaTables(table).flatMap(each =>
        compileExistence({ ...createScope(table, scope), table: each, column: name => sql.ref(name) }),
      ),
    ]),
  ).filter!

const filterText = (text: string, table: Table): RowFilter =>
  rowFilter(scope =>
    text === ''
      ? sql`false`
      : compileCondition(JSON.parse(text) as Condition, {
          ...createScope(table, scope),
          // Equal SQL with other values is one prepared statement.
          constant: value => sql`${value}`,
        }),
  ).filter!

type Report = (error: unknown) => void

// Rows are read anew for each request, but their texts seldom change. The error of a text that is kept is
// reported once.
function createReader(table: Table): (given: string, report: Report) => Promise<readonly string[]> {
  const known = createBoundedMap<string, readonly string[]>({ maxSize: maxKnown })
  return async (given, report) => {
    const found = known.get(given)
    if (found !== undefined) return found
    const texts = await readStored(given, table).catch((error: unknown) => {
      report(error)
      return []
    })
    if (given.length <= maxKnownLength) known.set(given, texts)
    return texts
  }
}

function reportWrong({ request }: RequestContext, error: unknown, { name }: Table): void {
  const title = `a stored condition on the table "${name}" is wrong and gives no rights`
  if (isMissing(request)) printError(`a command: ${title}`, loggableError(error))
  else logError('error', request, loggableError(error), title)
}
