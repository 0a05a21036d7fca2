// The preconditions of an update or a destroy, which are evaluated in the transaction of the write, once its row is locked.

import type { Connection } from '../../database/database.ts'
import { PreconditionFailed, PreconditionRequired } from '../../errors/exceptions.ts'
import { createTag, hasWritePreconditions, mayWrite, namesState } from '../../http/conditional/preconditions.ts'
import type { HandlerContext } from '../../http/context.ts'
import { JsonText } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { prepareRepresentation } from '../read/retrieve.ts'

/** Rejects with PreconditionRequired, or with PreconditionFailed if the locked object is not in the state that the request demands. */
export type CheckPrecondition = (key: KeyValue, connection: Connection) => Promise<void>

/** Reads the preconditions of a request; undefined if it has none and needs none. */
export async function readPrecondition(
  bound: BoundResource,
  context: HandlerContext,
): Promise<CheckPrecondition | undefined> {
  const { headers } = context.request
  if (bound.resource.requireIfMatch && !namesState(headers))
    return async () => {
      throw new PreconditionRequired()
    }
  if (!hasWritePreconditions(headers)) return undefined
  const find = await prepareRepresentation(bound, context)
  return async (key, connection) => {
    const found = await find(key, connection)
    const current = found && {
      tag: createTag(new JsonText(found.json)),
      lastModified: found.lastModified,
    }
    if (!mayWrite(headers, current)) throw new PreconditionFailed()
  }
}
