// Deletes the rows of one resource.

import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts'
import { runPortions, timeSlices } from '../../../base/time-slices.ts'
import { type Connection, ConstraintViolation } from '../../../database/database.ts'
import { hasHooks } from '../../declare/hooks.ts'
import type { Place, WriteOptions } from '../../validate/children.ts'
import { createDestroyError } from '../constraint-errors.ts'
import { createDestroyContext } from '../run-hooks.ts'
import { type CheckPrecondition, createTransactionOptions, StaleObject } from '../write.ts'
import type { LoadedObject } from './read-row.ts'
import { removeParts } from './row-parts.ts'
import { lockRows, type RowWriter, rowsPerSlice } from './row-writer.ts'

/** A locked object that is deleted, and the place of its errors. */
export interface RowToRemove {
  readonly object: LoadedObject
  readonly place: Place
}

/**
 * Deletes one object, with one statement if it can do all, otherwise in a transaction. Rejects with StaleObject if the object has changed
 * since it was loaded, and with ConstraintViolation.
 */
export async function removeOne(
  writer: RowWriter,
  row: RowToRemove,
  { precondition, ...options }: WriteOptions & { readonly precondition: CheckPrecondition | undefined },
): Promise<void> {
  const { bound, filters } = writer
  const { database, statements, resource, recorder } = bound
  const { key, snapshot } = row.object
  if (precondition === undefined && recorder === undefined && !resource.parentRows && !hasHooks(resource, 'destroy')) {
    const removed = await database.write(statements.destroy, { id: key, snapshot, ...filters.destroy })
    if (removed.length === 0) throw new StaleObject()
    return
  }
  return database.transaction(
    async connection => {
      // The hooks may change the object, so it is compared with the snapshot before they run.
      await lockRows(writer, connection, 'destroy', [row.object])
      await precondition?.(key, connection)
      await removeRows(writer, connection, [row], options)
    },
    precondition === undefined ? createTransactionOptions(bound, [], options.rows) : {},
  )
}

/** Deletes locked objects, whose files the caller settles. Rejects with ConstraintViolation, or with Protected if another object refers to one of them. */
export async function removeRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToRemove[],
  { isolated }: WriteOptions,
): Promise<void> {
  if (rows.length === 0) return
  const { bound, request } = writer
  const { beforeDestroy, afterDestroy } = bound.resource
  const createContext = ({ object: { key, values } }: RowToRemove) =>
    createDestroyContext(bound, request, { key, before: values }, connection)
  const contexts = beforeDestroy || afterDestroy ? rows.map(createContext) : []
  const keys = rows.map(({ object }) => object.key)
  const before = await bound.recorder?.read(connection, keys)
  const runHooks = async (hook: typeof beforeDestroy) => {
    if (hook === undefined) return
    await timeSlices.inGroups(rows, rowsPerSlice, async (group, start) => {
      for (const [index, { place }] of group.entries())
        await placeRemoval(place, async () => hook(contexts[start + index]!))
    })
  }
  await runHooks(beforeDestroy)
  const remove = (group: readonly RowToRemove[]) => removeGroup(writer, connection, group)
  if (isolated)
    await timeSlices.inGroups(rows, rowsPerSlice, async group => {
      for (const row of group) await remove([row])
    })
  else await runPortions(rows, remove)
  await runHooks(afterDestroy)
  if (before !== undefined) await bound.recorder!.record(request, connection, { action: 'destroy', keys, before })
}

// The violation of a statement that removes several rows names none of them, so the next attempt removes each by itself.
function removeGroup(
  { bound, statements }: RowWriter,
  connection: Connection,
  group: readonly RowToRemove[],
): MaybePromise<readonly never[]> {
  const keys = statements.formatKeys(group.map(({ object }) => object.key))
  const explain = (error: unknown) => {
    if (group.length > 1 || !(error instanceof ConstraintViolation)) throw error
    throw group[0]!.place(createDestroyError(bound, error))
  }
  try {
    const { parts } = statements
    const removing: MaybePromise<unknown> =
      parts === undefined ? connection.run(statements.remove, { keys }) : removeParts(connection, parts, { keys })
    return isPromise(removing) ? removing.then(() => [], explain) : []
  } catch (error) {
    return explain(error)
  }
}

async function placeRemoval(place: Place, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    throw place(error as Error)
  }
}
