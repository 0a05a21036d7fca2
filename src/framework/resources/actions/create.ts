// POST on a list: 201, the new object, and its URL in the Location header if it has one.

import type { HandlerContext } from '../../context.ts'
import type { Arguments, Connection } from '../../database/database.ts'
import { formatPathSegment, type KeyValue } from '../../keys/key.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import { createSaveError } from '../constraint-errors.ts'
import type { Values } from '../declared-fields.ts'
import type { Action, Columns, WriteContext } from '../resource.ts'
import { storageColumn } from '../storage.ts'
import {
  checkHookColumns,
  createWriteContext,
  needsTransaction,
  retryLostRaces,
  saveRelationRows,
  toColumnValues,
} from '../write.ts'

/** Reads the columns that the URL sets instead of the body; rejects with NotFound if the URL's parent does not exist. */
export type ReadUrlColumns = (context: HandlerContext) => Promise<Readonly<Record<string, KeyValue>>>

/** The actions at an object's URL. */
const objectActions: ReadonlySet<Action> = new Set(['retrieve', 'update', 'destroy'])

export function create(bound: BoundResource, readUrlColumns: ReadUrlColumns = async () => ({})): Handler {
  const { resource, validate, plans, related } = bound
  const hasObjectUrl = resource.actions.some(action => objectActions.has(action))
  return async request => {
    const { baseUrl } = request
    const relatedValues = await related.readValues(request)
    // Undefined until the values are saved: a violation before that comes from a hook's own statement.
    let saved: Values | undefined
    const attempt = async () => {
      saved = undefined
      const columns = await readUrlColumns(request)
      const context = createWriteContext(bound, request, undefined)
      const urlValues = toUrlValues(bound, columns)
      const values = await validate.create({
        request,
        context,
        partial: false,
        existing: {},
        urlValues,
        related: relatedValues,
      })
      const prepared = checkHookColumns(bound, 'prepare', await resource.prepare?.(values, context))
      const representationValues = { ...relatedValues, base: baseUrl }
      saved = values
      return insert(bound, { representationValues, values, prepared: { ...prepared, ...columns }, context })
    }
    const [id, json, name = id] = await retryLostRaces(attempt, violation =>
      saved === undefined ? violation : createSaveError(bound, violation, 'create', saved),
    )
    return {
      status: 201,
      ...(hasObjectUrl && { headers: { location: `${baseUrl}/${resource.name}/${formatPathSegment(name)}/` } }),
      body: new JsonText(plans.create.serialize(json, request)),
    }
  }
}

function toUrlValues({ resource }: BoundResource, columns: Readonly<Record<string, KeyValue>>): Values {
  const entries = Object.entries(resource.fields).flatMap(([name, field]) => {
    const column = field.readOnly ? undefined : storageColumn(name, field)
    return column !== undefined && Object.hasOwn(columns, column) ? [[name, columns[column]]] : []
  })
  return Object.fromEntries(entries)
}

interface Creation {
  /** The parameters of the representation. */
  readonly representationValues: Arguments
  readonly values: Values
  readonly prepared: Columns
  readonly context: WriteContext
}

/** `name`: what its path contains, unless that is the key. */
type Created = readonly [id: KeyValue, json: string, name?: KeyValue]

async function insert(bound: BoundResource, creation: Creation): Promise<Created> {
  const { database, columns, statements } = bound
  const { representationValues, values, prepared, context } = creation
  const createArguments = (added: Columns | undefined) => ({
    ...Object.fromEntries(columns.create.map(column => [column, null])),
    ...bound.resource.key.create?.(),
    ...toColumnValues(bound, values),
    ...(prepared as Arguments),
    ...(added as Arguments | undefined),
    ...representationValues,
  })
  if (!needsTransaction(bound, values)) {
    const [row] = await database.write(statements.insert, createArguments(undefined))
    return row!
  }
  return database.transaction(async connection => {
    const returned = await bound.resource.beforeSave?.(values, { context, connection })
    const added = checkHookColumns(bound, 'beforeSave', returned)
    const row = await connection.first(statements.insert, createArguments(added))
    return finishInsert(bound, connection, creation, row!)
  })
}

// Saves relation rows and runs the hook. Both can change the representation, which is then read again.
async function finishInsert(
  bound: BoundResource,
  connection: Connection,
  { representationValues, values, context }: Creation,
  created: Created,
): Promise<Created> {
  const [id] = created
  const hasRows = await saveRelationRows(bound, connection, { id, values, related: representationValues })
  const { afterSave } = bound.resource
  await afterSave?.(id, { context, connection })
  if (!hasRows && afterSave === undefined) return created
  const row = await connection.first(bound.statements.written.create, { ...representationValues, id })
  return [id, ...row!]
}
