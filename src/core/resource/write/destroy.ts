// DELETE on an object: 204.

import { ConstraintViolation, noValues } from '../../database/database.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { countRows } from '../declare/request-rows.ts'
import { readObjectId } from '../read/retrieve.ts'
import { createDestroyError } from './constraint-errors.ts'
import { settleFiles } from './file-writes.ts'
import { removeOne } from './rows/remove-rows.ts'
import { createWriter, keepPlace } from './rows/row-writer.ts'
import { type CheckPrecondition, loadObject, type ObjectName, readPrecondition, retryLostRaces } from './write.ts'

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
  request: HandlerContext,
  { precondition, ...name }: Target,
): Promise<void> {
  let before: Values | undefined
  const attempt = async ({ isolated }: { readonly isolated: boolean }) => {
    const { filterValues, ...object } = await loadObject(bound, request, 'destroy', name)
    const writer = createWriter(bound, request, { related: noValues, filters: { destroy: filterValues } })
    try {
      await removeOne(
        writer,
        { object, place: keepPlace },
        { isolated, rows: countRows(bound, request, 1), precondition },
      )
    } catch (error) {
      throw error instanceof ConstraintViolation ? createDestroyError(bound, error) : error
    }
    before = object.values
  }
  await bound.writeQueues(name.id, () => retryLostRaces(attempt))
  if (bound.files.length > 0) await settleFiles(bound, request, [{ before }])
}
