// PUT and PATCH on an object: 200 and the object as it is now. What is not sent keeps its value.

import type { Arguments, ConstraintViolation } from '../../database/database.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import { type BoundResource, keyOf } from '../bound-resource.ts'
import type { Values } from '../declared-fields.ts'
import type { Columns, WriteContext } from '../resource.ts'
import { saveError } from '../violations.ts'
import {
  checkHookColumns,
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
  const { resource, writeQueues, validate, plans, related } = bound
  return async request => {
    const id = keyOf(request)
    const visible = await related.read(request)
    // The values being saved; a violation before that is a hook's own.
    let saved: Values | undefined
    const attempt = async () => {
      saved = undefined
      const loaded = await loadObject(bound, request, 'update', id)
      const context = writeContext(bound, request, id)
      const values = await validate.update({ request, context, partial, existing: loaded.values, related: visible })
      const returned = await resource.prepare?.({ ...loaded.values, ...values }, context)
      const prepared = checkHookColumns(bound, 'prepare', returned)
      saved = values
      return save(bound, { id, loaded, values, prepared, context, shown: { ...visible, base: request.baseUrl } })
    }
    const explain = (violation: ConstraintViolation) =>
      saved === undefined ? violation : saveError(bound, violation, 'update', saved)
    const json = await writeQueues(id, () => untilWon(attempt, explain))
    return { status: 200, body: new JsonText(plans.update.serialize(json, request)) }
  }
}

interface Change {
  readonly id: number
  readonly loaded: Loaded
  readonly values: Values
  readonly prepared: Columns
  readonly context: WriteContext
  /** The values of what the representation is made with. */
  readonly shown: Arguments
}

async function save(bound: BoundResource, change: Change): Promise<string> {
  const { database, statements, resource } = bound
  const { id, loaded, values, prepared, context, shown } = change
  const { seen, rows } = loaded
  const assignments = (added?: Columns) => changes(bound, { ...columnValues(bound, values), ...prepared, ...added })
  if (!needsTransaction(bound, values)) {
    return jsonOf(await database.write(statements.update, { ...assignments(), ...shown, id, seen, ...rows }))
  }
  return database.transaction(async connection => {
    if ((await connection.run(statements.lock, { id, seen, ...rows })).length === 0) throw new StaleObject()
    const returned = await resource.beforeSave?.({ ...loaded.values, ...values }, { context, connection })
    const added = checkHookColumns(bound, 'beforeSave', returned)
    // The relations' rows go first, so that the statement that changes the object shows them.
    await saveRows(bound, connection, { id, values, related: shown })
    const json = jsonOf(await connection.run(statements.updateLocked, { ...assignments(added), ...shown, id }))
    if (resource.afterSave === undefined) return json
    await resource.afterSave(id, { context, connection })
    return jsonOf(await connection.run(statements.written.update, { ...shown, id }))
  })
}

function jsonOf([row]: readonly (readonly [json: string])[]): string {
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
