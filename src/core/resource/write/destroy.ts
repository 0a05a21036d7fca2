// DELETE on an object: 204.

import { type Arguments, ConstraintViolation } from '../../database/database.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { hasHooks } from '../declare/hooks.ts'
import { readObjectId } from '../read/object-id.ts'
import { createDestroyError } from './constraint-errors.ts'
import { settleFiles } from './file-writes.ts'
import { type CheckPrecondition, readPrecondition } from './precondition.ts'
import { createDestroyContext } from './run-hooks.ts'
import { loadObject, type ObjectName, retryLostRaces, StaleObject } from './write.ts'

export function destroy(bound: BoundResource): Handler {
  return async context => {
    const id = await readObjectId(bound, context)
    const precondition = await readPrecondition(bound, context)
    await destroyObject(bound, context, { id, isKey: false, precondition })
    return { status: 204 }
  }
}

interface Target extends ObjectName {
  readonly precondition?: CheckPrecondition | undefined
}

/** Deletes the object with this key, or with a path that contains this value. */
export async function destroyObject(
  bound: BoundResource,
  context: HandlerContext,
  { id, isKey, precondition }: Target,
): Promise<void> {
  let before: Values | undefined
  const attempt = async () => {
    const { key, snapshot, values, filterValues } = await loadObject(bound, context, 'destroy', { id, isKey })
    try {
      await remove(bound, context, {
        arguments: { id: key, snapshot, ...filterValues },
        before: values,
        precondition,
      })
    } catch (error) {
      throw error instanceof ConstraintViolation ? createDestroyError(bound, error) : error
    }
    before = values
  }
  await bound.writeQueues(id, () => retryLostRaces(attempt))
  if (bound.files.length > 0) await settleFiles(bound, context, [{ before }])
}

interface Removal {
  readonly arguments: Arguments & { readonly id: KeyValue }
  readonly before: Values
  readonly precondition: CheckPrecondition | undefined
}

async function remove(
  bound: BoundResource,
  request: HandlerContext,
  { arguments: values, before, precondition }: Removal,
): Promise<void> {
  const { database, statements, resource, recorder } = bound
  if (precondition === undefined && recorder === undefined && !hasHooks(resource, 'destroy'))
    return checkFound(await database.write(statements.destroy, values))
  const { id } = values
  return database.transaction(async connection => {
    // The hooks may change the object, so it is compared with the snapshot before they run.
    checkFound(await connection.run(statements.lock.destroy, values))
    await precondition?.(id, connection)
    const recorded = await recorder?.read(connection, [id])
    const context = createDestroyContext(bound, request, { key: id, before }, connection)
    await resource.beforeDestroy?.(context)
    await connection.run(statements.destroyLocked, { id })
    await resource.afterDestroy?.(context)
    if (recorded) await recorder!.record(request, connection, { action: 'destroy', keys: [id], before: recorded })
  })
}

function checkFound(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new StaleObject()
}
