// Deletes several locked rows of one resource in a transaction.

import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts'
import { timeSlices } from '../../../base/time-slices.ts'
import { type Connection, ConstraintViolation } from '../../../database/database.ts'
import { runPortions } from '../../query/run-portions.ts'
import type { Place, WriteOptions } from '../../validate/children.ts'
import { createDestroyError } from '../constraint-errors.ts'
import { settleFiles } from '../file-writes.ts'
import { createDestroyContext } from '../run-hooks.ts'
import type { LoadedObject } from './read-row.ts'
import { type RowWriter, rowsPerSlice } from './row-writer.ts'

/** A locked object that is deleted, and the place of its errors. */
export interface RowToRemove {
  readonly object: LoadedObject
  readonly place: Place
}

/** Deletes locked objects. Rejects with ConstraintViolation, or with Protected if another object refers to one of them. */
export async function removeRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToRemove[],
  { isolated }: WriteOptions,
): Promise<void> {
  if (rows.length === 0) return
  const { bound, request } = writer
  const { beforeDestroy, afterDestroy } = bound.resource
  const contexts = rows.map(({ object: { key, values } }) =>
    createDestroyContext(bound, request, { key, before: values }, connection),
  )
  const keys = rows.map(({ object }) => object.key)
  const before = await bound.recorder?.read(connection, keys)
  const runHooks = async (hook: typeof beforeDestroy) => {
    if (hook === undefined) return
    for (const [index, { place }] of rows.entries()) await placeRemoval(place, async () => hook(contexts[index]!))
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
  await settleFiles(
    bound,
    request,
    rows.map(({ object }) => ({ before: object.values })),
  )
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
    const removing = connection.run(statements.remove, { keys })
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
