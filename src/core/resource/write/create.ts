// POST on a list: 201 unless `perAction` says otherwise, the new object, and its URL in the Location header if it has one.

import type { Arguments } from '../../database/database.ts'
import type { HandlerContext } from '../../http/context.ts'
import { JsonText, tagOnly } from '../../http/response.ts'
import { formatRowName } from '../../keys/key.ts'
import { unwrapBody, wrapObject } from '../../view/envelope/wrap.ts'
import { applyPreference } from '../../view/prefer.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { type PrepareUrlColumns, type ReadUrlColumns, readNoColumns } from '../bind/resource-location.ts'
import { seenAsSelected } from '../bind/seen-resource.ts'
import { countRows } from '../declare/request-rows.ts'
import { hasObjectUrl } from '../declare/resource-methods.ts'
import { showsAsRetrieved } from '../sql/action-plan.ts'
import { settleFiles } from './file-writes.ts'
import { insertAll } from './rows/insert-rows.ts'
import { readRow } from './rows/read-row.ts'
import {
  createRowError,
  createWriter,
  keepPlace,
  type RowToWrite,
  serializeRows,
  toFileChange,
  toUrlValues,
  type Written,
} from './rows/row-writer.ts'
import { respondOnce, retryLostRaces } from './write.ts'

/** `formatListPath`: formats the path of the list below which the `Location` of the object is. */
export function create(
  bound: BoundResource,
  formatListPath: (context: HandlerContext) => string,
  prepareUrlColumns: PrepareUrlColumns,
): Handler {
  const { resource } = bound
  const isTagged = showsAsRetrieved(bound, 'create') && resource.actions.includes('retrieve')
  const isLocated = hasObjectUrl(resource)
  const { status = 201 } = resource.perAction.create ?? {}
  const respond = async (seen: BoundResource, request: HandlerContext, prepared: PreparedCreate) => {
    const { name, json } = await createObject(seen, request, prepared)
    return applyPreference(request, {
      status,
      ...(isLocated && {
        headers: {
          location: `${request.baseUrl}${formatListPath(request)}${formatRowName(bound.identifier, name)}${bound.api.urlEnd}`,
        },
      }),
      body: new JsonText(wrapObject(json!, bound.envelope)),
      ...(isTagged && !seen.isSelection && { validators: tagOnly }),
    })
  }
  return async request => {
    const seen = await seenAsSelected(bound, 'create', request)
    return respondOnce(seen, request, async () => {
      const prepared = {
        readUrlColumns: await prepareUrlColumns(request),
        relatedValues: await seen.related.readValues(request),
      }
      return entered => respond(entered, request, prepared)
    })
  }
}

/** The values that are read before the transaction begins. */
interface PreparedCreate {
  readonly readUrlColumns?: ReadUrlColumns
  /** The values of the row filters of related resources. Default: they are read now. */
  readonly relatedValues?: Arguments
  /** Runs once the body is valid; throws if the request has a precondition that does not hold. */
  readonly checkPrecondition?: () => void
}

/** Creates an object from the body of the request. */
export async function createObject(
  bound: BoundResource,
  request: HandlerContext,
  { readUrlColumns = readNoColumns, relatedValues, checkPrecondition }: PreparedCreate = {},
): Promise<Written> {
  const { database: connection, validate, envelope } = bound
  const related = relatedValues ?? (await bound.related.readValues(request))
  const writer = createWriter(bound, request, { related })
  // Undefined until the values are written: a violation before that comes from a hook's own statement.
  let written: RowToWrite | undefined
  const inserted = await retryLostRaces(
    async ({ isolated }) => {
      written = undefined
      const rows = countRows(bound, request, 1)
      const columns = await readUrlColumns(connection)
      const urlValues = toUrlValues(bound, columns)
      const readBody = validate.create({ request, partial: false, urlValues, related, connection, rows })
      const row = await readRow(bound, request, readBody, { body: unwrapBody(request, envelope) })
      checkPrecondition?.()
      written = { row, columns, place: keepPlace }
      return insertAll(writer, [written], { isolated, rows })
    },
    violation => (written === undefined ? violation : createRowError(bound, written, violation)),
  )
  if (bound.files.length > 0) await settleFiles(bound, request, [toFileChange(written!)])
  const [shown] = await serializeRows(writer, 'create', inserted)
  return shown!
}
