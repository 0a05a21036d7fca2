// PUT and PATCH on an object: 200 and the changed object. Fields that are not sent keep their values.

import type { HandlerContext } from '../../http/context.ts'
import { JsonText, tagOnly } from '../../http/response.ts'
import { unwrapBody, wrapObject } from '../../view/envelope/wrap.ts'
import { applyPreference } from '../../view/prefer.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { seenAsSelected } from '../bind/seen-resource.ts'
import { countRows } from '../declare/request-rows.ts'
import { readObjectId } from '../read/retrieve.ts'
import { showsAsRetrieved } from '../sql/action-plan.ts'
import { settleFiles } from './file-writes.ts'
import { readRow } from './rows/read-row.ts'
import { createRowError, createWriter, keepPlace, type RowToWrite, toFileChange } from './rows/row-writer.ts'
import { updateOne } from './rows/update-rows.ts'
import { type CheckPrecondition, loadObject, type ObjectName, readPrecondition, retryLostRaces } from './write.ts'

/** `partial`: fields that the body does not contain stay unchanged. */
export function update(bound: BoundResource, { partial }: { readonly partial: boolean }): Handler {
  // The response to a PUT has no ETag, because the stored representation is not the one that was sent (RFC 9110 §9.3.4).
  const isTaggedPatch = showsAsRetrieved(bound, 'update')
  return async request => {
    const id = await readObjectId(bound, request)
    const precondition = await readPrecondition(bound, request)
    const seen = await seenAsSelected(bound, 'update', request)
    const json = await updateObject(seen, request, { id, isKey: false, partial, precondition })
    return applyPreference(request, {
      status: 200,
      body: new JsonText(wrapObject(json, bound.envelope)),
      ...(isTaggedPatch && !seen.isSelection && request.method === 'PATCH' && { validators: tagOnly }),
    })
  }
}

interface Target extends ObjectName {
  readonly partial: boolean
  readonly precondition?: CheckPrecondition | undefined
}

/** Changes an object by the body of the request; resolves to its representation. */
export async function updateObject(
  bound: BoundResource,
  request: HandlerContext,
  { precondition, partial, ...name }: Target,
): Promise<string> {
  const { database: connection, writeQueues, validate, plans, envelope } = bound
  const related = await bound.related.readValues(request)
  // Undefined until the values are written: a violation before that comes from a hook's own statement.
  let written: RowToWrite | undefined
  const json = await writeQueues(name.id, () =>
    retryLostRaces(
      async ({ isolated }) => {
        written = undefined
        const rows = countRows(bound, request, 1)
        const { filterValues, ...loaded } = await loadObject(bound, request, 'update', name)
        const readBody = validate.update({ request, partial, related, connection, rows })
        const row = await readRow(bound, request, readBody, { body: unwrapBody(request, envelope), loaded })
        written = { row, columns: {}, place: keepPlace }
        const writer = createWriter(bound, request, { related, filters: { update: filterValues } })
        return updateOne(writer, written, { isolated, rows, precondition })
      },
      violation => (written === undefined ? violation : createRowError(bound, written, violation)),
    ),
  )
  if (bound.files.length > 0) await settleFiles(bound, request, [toFileChange(written!)])
  return plans.update.serializer.serialize(json, request)
}
