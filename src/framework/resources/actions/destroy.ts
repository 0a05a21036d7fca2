// DELETE on an object: 204 and nothing more.

import type { HandlerContext } from '../../context.ts'
import { type Arguments, ConstraintViolation } from '../../database/database.ts'
import type { Handler } from '../../view.ts'
import { type BoundResource, keyOf } from '../bound-resource.ts'
import { destroyError } from '../violations.ts'
import { loadObject, StaleObject, untilWon } from '../write.ts'

/** The handler that deletes an object. */
export function destroy(bound: BoundResource): Handler {
  return async context => {
    const id = keyOf(context)
    const attempt = async () => {
      const { seen, rows } = await loadObject(bound, context, 'destroy', id)
      try {
        await remove(bound, context, { id, seen, ...rows })
      } catch (error) {
        throw error instanceof ConstraintViolation ? destroyError(bound, error) : error
      }
    }
    await bound.writeQueues(id, () => untilWon(attempt))
    return { status: 204 }
  }
}

interface Seen extends Arguments {
  readonly id: number
}

async function remove(
  { database, statements, resource }: BoundResource,
  { user, auth }: HandlerContext,
  seen: Seen,
): Promise<void> {
  const { id } = seen
  const { beforeDestroy, afterDestroy } = resource
  if (beforeDestroy === undefined && afterDestroy === undefined) {
    return checkRemoved(await database.write(statements.destroy, seen))
  }
  return database.transaction(async connection => {
    const context = { user, auth }
    await beforeDestroy?.(id, { context, connection })
    checkRemoved(await connection.run(statements.destroy, seen))
    await afterDestroy?.(id, { context, connection })
  })
}

function checkRemoved(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new StaleObject()
}
