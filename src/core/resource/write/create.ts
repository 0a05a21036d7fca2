// POST on a list: 201, the new object, and its URL in the Location header if it has one.

import type { Arguments, Connection } from '../../database/database.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { HandlerContext } from '../../http/context.ts'
import { JsonText, tagOnly } from '../../http/response.ts'
import { formatPathSegment, type KeyValue } from '../../keys/key.ts'
import { unwrapBody, wrapObject } from '../../view/envelope/wrap.ts'
import { applyPreference } from '../../view/prefer.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { seenBy } from '../bind/seen-resource.ts'
import { type PrepareUrlColumns, type ReadUrlColumns, readNoColumns } from '../bind/url-columns.ts'
import type { Columns, SaveContext } from '../declare/hooks.ts'
import { hasObjectUrl } from '../declare/object-url.ts'
import { startRows } from '../declare/request-rows.ts'
import { storageColumn } from '../declare/storage.ts'
import { showsAsRetrieved } from '../sql/action-plan.ts'
import { type Attempt, saveChildren, saveReferred, type WriteOptions } from '../validate/children.ts'
import type { ReadValues } from '../validate/validation.ts'
import { createSaveError, type FailedSave } from './constraint-errors.ts'
import { settleFiles } from './file-writes.ts'
import { respondOnce } from './respond-once.ts'
import { createSaveContext, prepareColumns, runAfterSave, runBeforeSave } from './run-hooks.ts'
import {
  createInsertedColumns,
  createTransactionOptions,
  needsTransaction,
  retryLostRaces,
  saveRelationRows,
} from './write.ts'

/** `formatListPath`: formats the path of the list below which the `Location` of the object is. */
export function create(
  bound: BoundResource,
  formatListPath: (context: HandlerContext) => string,
  prepareUrlColumns: PrepareUrlColumns,
): Handler {
  const { resource } = bound
  const isTagged = showsAsRetrieved(bound, 'create') && resource.actions.includes('retrieve')
  const isLocated = hasObjectUrl(resource)
  const respond = async (seen: BoundResource, request: HandlerContext, prepared: PreparedCreate) => {
    const [id, json, name = id] = await createObject(seen, request, prepared)
    return applyPreference(request, {
      status: 201,
      ...(isLocated && {
        headers: {
          location: `${request.baseUrl}${formatListPath(request)}${formatPathSegment(name)}${bound.api.urlEnd}`,
        },
      }),
      body: new JsonText(wrapObject(json, bound.envelope)),
      ...(isTagged && { validators: tagOnly }),
    })
  }
  return request => {
    const seen = seenBy(bound, request)
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

/** The key of a new object, its representation, and what its path contains, unless that is the key. */
export type Created = readonly [key: KeyValue, json: string, name?: KeyValue]

/** Creates an object from the body of the request. */
export async function createObject(
  bound: BoundResource,
  request: HandlerContext,
  { readUrlColumns = readNoColumns, relatedValues: knownValues, checkPrecondition }: PreparedCreate = {},
): Promise<Created> {
  const { database, validate, plans, related, envelope } = bound
  const relatedValues = knownValues ?? (await related.readValues(request))
  const requestValues = plans.create.readRequestValues(request)
  // Undefined until the values are saved: a violation before that comes from a hook's own statement.
  let saved: FailedSave | undefined
  const attempt = async ({ isolated }: Attempt) => {
    saved = undefined
    const rows = startRows(bound, request)
    rows.add(1)
    const options = { isolated, rows }
    const columns = await readUrlColumns(database)
    const readBody = validate.create({
      request,
      partial: false,
      urlValues: toUrlValues(bound, columns),
      related: relatedValues,
      connection: database,
      rows,
    })
    const target = { id: undefined, existing: {} }
    const read = await readBody({ ...target, body: unwrapBody(request.requestBody, envelope) })
    const context = createSaveContext(bound, request, { ...target, ...read })
    const prepared = await prepareColumns(bound, context)
    checkPrecondition?.()
    const representationValues = { ...relatedValues, ...requestValues, base: request.baseUrl }
    const all = { ...prepared, ...columns }
    const onColumns = (added: Columns) => {
      saved = { action: 'create', values: read.values, columns: { ...all, ...added }, existing: {} }
    }
    onColumns({})
    return insert(bound, request, { representationValues, read, prepared: all, onColumns, context, options })
  }
  const [id, json, ...name] = await retryLostRaces(attempt, violation =>
    saved === undefined ? violation : createSaveError(bound, violation, saved),
  )
  if (bound.files.length > 0) await settleFiles(bound, request, [{ after: saved?.values }])
  return [id, await plans.create.serializer.serialize(json, request), ...name]
}

/** The values of the fields whose columns the URL sets. */
export function toUrlValues({ resource }: BoundResource, columns: Readonly<Record<string, KeyValue>>): Values {
  const entries = Object.entries(resource.fields).flatMap(([name, field]) => {
    const column = field.readOnly ? undefined : storageColumn(name, field)
    return column !== undefined && Object.hasOwn(columns, column) ? [[name, columns[column]]] : []
  })
  return Object.fromEntries(entries)
}

interface Creation {
  /** The parameters of the representation. */
  readonly representationValues: Arguments
  readonly read: ReadValues
  readonly prepared: Columns
  /** Gets the columns that `beforeSave` returned. */
  readonly onColumns: (added: Columns) => void
  /** The argument of the hooks; undefined if there are none. */
  readonly context: SaveContext | undefined
  readonly options: WriteOptions
}

async function insert(bound: BoundResource, request: HandlerContext, creation: Creation): Promise<Created> {
  const { database, statements, recorder } = bound
  const { representationValues, read, prepared, onColumns, context, options } = creation
  const createArguments = (added: Columns | undefined) => ({
    ...createInsertedColumns(bound, read.values, { ...prepared, ...added }),
    ...representationValues,
  })
  if (!needsTransaction(bound, read)) {
    const [row] = await database.write(statements.insert, createArguments(undefined))
    return row!
  }
  return database.transaction(
    async connection => {
      const added = await runBeforeSave(bound, context, connection)
      onColumns(added)
      const parent = { key: undefined, children: read.children }
      const [referred] = (await saveReferred(connection, [parent], options)) ?? []
      const values = createArguments({ ...added, ...referred })
      // The children that are written next belong to the representation.
      const row = read.children.some(({ column }) => column === undefined)
        ? await connection.first(bound.many.insert, values)
        : await connection.first(statements.insert, values)
      const created = await finishInsert(bound, connection, creation, row!)
      const [key] = created
      await recorder?.record(request, connection, {
        action: 'create',
        keys: [key],
        bodies: new Map([[key, read.values]]),
      })
      return created
    },
    createTransactionOptions(bound, read.children, options.rows),
  )
}

// Saves relation rows and children, and runs the hook. All can change the representation, which is then read again.
async function finishInsert(
  bound: BoundResource,
  connection: Connection,
  { representationValues, read: { values, children }, context, options }: Creation,
  created: readonly [id: KeyValue] | Created,
): Promise<Created> {
  const [id] = created
  const hasRows = await saveRelationRows(bound, connection, { id, values, related: representationValues })
  await saveChildren(connection, [{ key: id, children }], options)
  if (context !== undefined) await runAfterSave(bound.resource, context, { key: id, connection })
  if (created.length > 1 && !hasRows && bound.resource.afterSave === undefined) return created as Created
  const row = await connection.first(bound.statements.written.create, { ...representationValues, id })
  return [id, ...row!]
}
