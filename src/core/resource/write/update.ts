// PUT and PATCH on an object: 200 and the changed object. Fields that are not sent keep their values.

import type { Arguments, ConstraintViolation } from '../../database/database.ts'
import type { HandlerContext } from '../../http/context.ts'
import { JsonText, tagOnly } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import { unwrapBody, wrapObject } from '../../view/envelope/wrap.ts'
import { applyPreference } from '../../view/prefer.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { seenBy } from '../bind/seen-resource.ts'
import type { Columns, SaveContext } from '../declare/hooks.ts'
import { startRows } from '../declare/request-rows.ts'
import { readObjectId } from '../read/object-id.ts'
import { showsAsRetrieved } from '../sql/action-plan.ts'
import { type Attempt, removeReplaced, saveChildren, saveReferred, type WriteOptions } from '../validate/children.ts'
import type { ReadValues } from '../validate/validation.ts'
import { createSaveError, type FailedSave } from './constraint-errors.ts'
import { settleFiles } from './file-writes.ts'
import { type CheckPrecondition, readPrecondition } from './precondition.ts'
import { createSaveContext, prepareColumns, runAfterSave, runBeforeSave } from './run-hooks.ts'
import {
  createTransactionOptions,
  type Loaded,
  loadObject,
  needsTransaction,
  type ObjectName,
  retryLostRaces,
  StaleObject,
  saveRelationRows,
  toAssignments,
  toColumnValues,
} from './write.ts'

/** `partial`: fields that the body does not contain stay unchanged. */
export function update(bound: BoundResource, { partial }: { readonly partial: boolean }): Handler {
  // The response to a PUT has no ETag, because the stored representation is not the one that was sent (RFC 9110 §9.3.4).
  const isTaggedPatch = showsAsRetrieved(bound, 'update')
  return async request => {
    const id = await readObjectId(bound, request)
    const precondition = await readPrecondition(bound, request)
    const json = await updateObject(seenBy(bound, request), request, { id, isKey: false, partial, precondition })
    return applyPreference(request, {
      status: 200,
      body: new JsonText(wrapObject(json, bound.envelope)),
      ...(isTaggedPatch && request.method === 'PATCH' && { validators: tagOnly }),
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
  { id, isKey, partial, precondition }: Target,
): Promise<string> {
  const { database: connection, writeQueues, validate, plans, related, envelope } = bound
  const relatedValues = await related.readValues(request)
  const requestValues = plans.update.readRequestValues(request)
  // Undefined until the values are saved: a violation before that comes from a hook's own statement.
  let saved: FailedSave | undefined
  const attempt = async ({ isolated }: Attempt) => {
    saved = undefined
    const rows = startRows(bound, request)
    rows.add(1)
    const loaded = await loadObject(bound, request, 'update', { id, isKey })
    const { key, values: existing } = loaded
    const readBody = validate.update({ request, partial, related: relatedValues, connection, rows })
    const read = await readBody({ id: key, existing, body: unwrapBody(request.requestBody, envelope) })
    const context = createSaveContext(bound, request, { id: key, existing, ...read })
    const prepared = await prepareColumns(bound, context)
    const onColumns = (added: Columns) => {
      saved = { action: 'update', values: read.values, columns: { ...prepared, ...added }, existing }
    }
    onColumns({})
    const representationValues = { ...relatedValues, ...requestValues, base: request.baseUrl }
    return save(bound, request, {
      id: key,
      loaded,
      read,
      prepared,
      onColumns,
      context,
      representationValues,
      precondition,
      options: { isolated, rows },
    })
  }
  const explainViolation = (violation: ConstraintViolation) =>
    saved === undefined ? violation : createSaveError(bound, violation, saved)
  const json = await writeQueues(id, () => retryLostRaces(attempt, explainViolation))
  if (bound.files.length > 0) await settleFiles(bound, request, [{ before: saved?.existing, after: saved?.values }])
  return plans.update.serializer.serialize(json, request)
}

interface Change {
  readonly id: KeyValue
  readonly loaded: Loaded
  readonly read: ReadValues
  readonly prepared: Columns
  /** Gets the columns that `beforeSave` returned. */
  readonly onColumns: (added: Columns) => void
  /** The argument of the hooks; undefined if there are none. */
  readonly context: SaveContext | undefined
  /** The parameters of the SQL that builds the representation. */
  readonly representationValues: Arguments
  readonly precondition: CheckPrecondition | undefined
  readonly options: WriteOptions
}

async function save(bound: BoundResource, request: HandlerContext, change: Change): Promise<string> {
  const { database, statements, resource, recorder } = bound
  const { id, loaded, read, prepared, onColumns, context, representationValues, precondition, options } = change
  const { values, children } = read
  const { snapshot, filterValues } = loaded
  const createAssignments = (added?: Columns) =>
    toAssignments(bound.columns.update, { ...toColumnValues(bound, values), ...prepared, ...added })
  if (precondition === undefined && !needsTransaction(bound, read)) {
    return readJson(
      await database.write(statements.update, {
        ...createAssignments(),
        ...representationValues,
        id,
        snapshot,
        ...filterValues,
      }),
    )
  }
  return database.transaction(
    async connection => {
      if ((await connection.run(statements.lock.update, { id, snapshot, ...filterValues })).length === 0)
        throw new StaleObject()
      await precondition?.(id, connection)
      const before = await recorder?.read(connection, [id])
      const added = await runBeforeSave(bound, context, connection)
      onColumns(added)
      // Relation rows and children are written first, so that the statement below returns them in the representation.
      const parents = [{ key: id, children }]
      const [referred] = (await saveReferred(connection, parents, options)) ?? []
      await saveRelationRows(bound, connection, { id, values, related: representationValues })
      await saveChildren(connection, parents, options)
      const assignments = createAssignments({ ...added, ...referred })
      const json = readJson(
        await connection.run(statements.updateLocked, { ...assignments, ...representationValues, id }),
      )
      if (referred !== undefined) await removeReplaced(connection, parents, options)
      const hasAfterSave = context !== undefined && resource.afterSave !== undefined
      if (hasAfterSave) await runAfterSave(resource, context, { key: id, connection })
      if (before !== undefined) {
        const bodies = new Map([[id, values]])
        await recorder!.record(request, connection, { action: 'update', keys: [id], before, bodies })
      }
      if (!hasAfterSave) return json
      return readJson(await connection.run(statements.written.update, { ...representationValues, id }))
    },
    precondition === undefined ? createTransactionOptions(bound, children, options.rows) : {},
  )
}

function readJson([row]: readonly (readonly [json: string])[]): string {
  if (row === undefined) throw new StaleObject()
  return row[0]
}
