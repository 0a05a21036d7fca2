// POST on a list: 201, the new object, and its URL, if it has one, as Location.

import type { HandlerContext } from '../../context.ts'
import type { Arguments, Connection } from '../../database/database.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { Values } from '../declared-fields.ts'
import type { Action, Columns, WriteContext } from '../resource.ts'
import { storageColumn } from '../storage.ts'
import { saveError } from '../violations.ts'
import { checkHookColumns, columnValues, needsTransaction, saveRows, untilWon, writeContext } from '../write.ts'

/** The columns whose values a URL gives instead of the body; throws NotFound where it names nothing. */
export type GivenColumns = (context: HandlerContext) => Promise<Readonly<Record<string, number>>>

/** The actions at an object's own URL. */
const objectActions: ReadonlySet<Action> = new Set(['retrieve', 'update', 'destroy'])

/** The handler that makes an object. */
export function create(bound: BoundResource, givenColumns: GivenColumns = async () => ({})): Handler {
  const { resource, validate, plans, related } = bound
  const hasObjectUrl = resource.actions.some(action => objectActions.has(action))
  return async request => {
    const { baseUrl } = request
    const visible = await related.read(request)
    // The values being saved; a violation before that is a hook's own.
    let saved: Values | undefined
    const attempt = async () => {
      saved = undefined
      const columns = await givenColumns(request)
      const context = writeContext(bound, request, undefined)
      const given = givenFields(bound, columns)
      const values = await validate.create({ request, context, partial: false, existing: {}, given, related: visible })
      const prepared = checkHookColumns(bound, 'prepare', await resource.prepare?.(values, context))
      const shown = { ...visible, base: baseUrl }
      saved = values
      return insert(bound, { shown, values, prepared: { ...prepared, ...columns }, context })
    }
    const [id, json] = await untilWon(attempt, violation =>
      saved === undefined ? violation : saveError(bound, violation, 'create', saved),
    )
    return {
      status: 201,
      ...(hasObjectUrl && { headers: { location: `${baseUrl}/${resource.name}/${id}/` } }),
      body: new JsonText(plans.create.serialize(json, request)),
    }
  }
}

function givenFields({ resource }: BoundResource, columns: Readonly<Record<string, number>>): Values {
  const given = Object.entries(resource.fields).flatMap(([name, field]) => {
    const column = field.readOnly ? undefined : storageColumn(name, field)
    return column !== undefined && Object.hasOwn(columns, column) ? [[name, columns[column]]] : []
  })
  return Object.fromEntries(given)
}

interface Creation {
  /** The values of what the representation is made with. */
  readonly shown: Arguments
  readonly values: Values
  readonly prepared: Columns
  readonly context: WriteContext
}

type Created = readonly [id: number, json: string]

async function insert(bound: BoundResource, creation: Creation): Promise<Created> {
  const { database, columns, statements } = bound
  const { shown, values, prepared, context } = creation
  const arguments_ = (added: Columns | undefined) => ({
    ...Object.fromEntries(columns.map(column => [column, null])),
    ...columnValues(bound, values),
    ...(prepared as Arguments),
    ...(added as Arguments | undefined),
    ...shown,
  })
  if (!needsTransaction(bound, values)) {
    const [row] = await database.write(statements.insert, arguments_(undefined))
    return row!
  }
  return database.transaction(async connection => {
    const returned = await bound.resource.beforeSave?.(values, { context, connection })
    const added = checkHookColumns(bound, 'beforeSave', returned)
    const row = await connection.first(statements.insert, arguments_(added))
    return complete(bound, connection, creation, row!)
  })
}

// Relations are rows of their own, and a hook may have changed more: then the representation is read again.
async function complete(
  bound: BoundResource,
  connection: Connection,
  { shown, values, context }: Creation,
  [id, json]: Created,
): Promise<Created> {
  const hasRows = await saveRows(bound, connection, { id, values, related: shown })
  const { afterSave } = bound.resource
  await afterSave?.(id, { context, connection })
  if (!hasRows && afterSave === undefined) return [id, json]
  const row = await connection.first(bound.statements.written.create, { ...shown, id })
  return [id, row![0]]
}
