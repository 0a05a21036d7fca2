// DELETE on an object: 204.

import type { HandlerContext } from '../../context.ts'
import { type Arguments, ConstraintViolation } from '../../database/database.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Handler } from '../../view.ts'
import { type BoundResource, readPathValue } from '../bound-resource.ts'
import { createDestroyError } from '../constraint-errors.ts'
import { loadObject, retryLostRaces, StaleObject } from '../write.ts'

export function destroy(bound: BoundResource): Handler {
  return async context => {
    const id = readPathValue(bound, context)
    const attempt = async () => {
      const { key, snapshot, filterValues } = await loadObject(bound, context, 'destroy', id)
      try {
        await remove(bound, context, { id: key, snapshot, ...filterValues })
      } catch (error) {
        throw error instanceof ConstraintViolation ? createDestroyError(bound, error) : error
      }
    }
    await bound.writeQueues(id, () => retryLostRaces(attempt))
    return { status: 204 }
  }
}

interface SnapshotArguments extends Arguments {
  readonly id: KeyValue
}

async function remove(
  { database, statements, resource }: BoundResource,
  { user, auth }: HandlerContext,
  values: SnapshotArguments,
): Promise<void> {
  const { id } = values
  const { beforeDestroy, afterDestroy } = resource
  if (beforeDestroy === undefined && afterDestroy === undefined) {
    return checkRemoved(await database.write(statements.destroy, values))
  }
  return database.transaction(async connection => {
    const context = { user, auth }
    await beforeDestroy?.(id, { context, connection })
    checkRemoved(await connection.run(statements.destroy, values))
    await afterDestroy?.(id, { context, connection })
  })
}

function checkRemoved(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new StaleObject()
}
