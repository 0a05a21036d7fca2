// PUT and PATCH on an object: 200 and the object as it is now. What is not sent keeps its value.

import type { Arguments } from '../../database/database.ts'
import { JsonText } from '../../response.ts'
import type { Handler, HandlerContext } from '../../view.ts'
import { type BoundResource, keyOf } from '../bound-resource.ts'
import type { Columns, Values, WriteContext } from '../resource.ts'
import {
  columnValues,
  type Loaded,
  loadObject,
  needsTransaction,
  StaleObject,
  saveRows,
  untilWon,
  writeContext,
} from '../write.ts'

/** The handler that changes an object; `partial` for PATCH. */
export function update(bound: BoundResource, { partial }: { readonly partial: boolean }): Handler {
  const { resource, writeQueues, validate, plans } = bound
  return async call => {
    const id = keyOf(call)
    const attempt = async () => {
      const loaded = await loadObject(bound, call, 'update', id)
      const context = writeContext(bound, call, id)
      const values = await validate.update({ call, context, partial, existing: loaded.values })
      const prepared = (await resource.prepare?.({ ...loaded.values, ...values }, context)) ?? {}
      return save(bound, call, { id, loaded, values, prepared, context })
    }
    const json = await writeQueues(id, () => untilWon(attempt))
    return { status: 200, body: new JsonText(plans.update.serialize(json, call)) }
  }
}

interface Change {
  readonly id: number
  readonly loaded: Loaded
  readonly values: Values
  readonly prepared: Columns
  readonly context: WriteContext
}

async function save(bound: BoundResource, { baseUrl: base }: HandlerContext, change: Change): Promise<string> {
  const { database, statements, resource } = bound
  const { id, loaded, values, prepared, context } = change
  const { seen, rows } = loaded
  const assignments = (added?: Columns) => changes(bound, { ...columnValues(bound, values), ...prepared, ...added })
  if (!needsTransaction(bound, values)) {
    return shown(await database.write(statements.update, { ...assignments(), base, id, seen, ...rows }))
  }
  return database.transaction(async connection => {
    if ((await connection.run(statements.lock, { id, seen, ...rows })).length === 0) throw new StaleObject()
    const added = await resource.beforeSave?.({ ...loaded.values, ...values }, { context, connection })
    // The relations' rows go first, so that the statement that changes the object shows them.
    await saveRows(bound, connection, id, values)
    const json = shown(await connection.run(statements.updateLocked, { ...assignments(added ?? {}), base, id }))
    if (resource.afterSave === undefined) return json
    await resource.afterSave(id, { context, connection })
    return shown(await connection.run(statements.written.update, { base, id }))
  })
}

function shown([row]: readonly (readonly [json: string])[]): string {
  if (row === undefined) throw new StaleObject()
  return row[0]
}

function changes({ columns }: BoundResource, values: Columns): Arguments {
  return Object.fromEntries(
    columns.flatMap(column => [
      [`set ${column}`, Object.hasOwn(values, column)],
      [column, values[column] ?? null],
    ]),
  )
}
