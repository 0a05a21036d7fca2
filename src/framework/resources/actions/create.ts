// POST on a list: 201, the new object, and its URL as Location.

import type { HandlerContext } from '../../context.ts'
import type { Arguments, Connection } from '../../database/database.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { Values } from '../declared-fields.ts'
import type { Columns, WriteContext } from '../resource.ts'
import { storageColumn } from '../storage.ts'
import { columnValues, needsTransaction, saveRows, untilWon, writeContext } from '../write.ts'

/** The columns whose values a URL gives instead of the body; throws NotFound where it names nothing. */
export type GivenColumns = (context: HandlerContext) => Promise<Readonly<Record<string, number>>>

/** The handler that makes an object. */
export function create(bound: BoundResource, givenColumns: GivenColumns = async () => ({})): Handler {
  const { resource, validate, plans, related } = bound
  return async call => {
    const { baseUrl } = call
    const visible = await related.read(call)
    const [id, json] = await untilWon(async () => {
      const columns = await givenColumns(call)
      const context = writeContext(bound, call, undefined)
      const given = givenFields(bound, columns)
      const values = await validate.create({ call, context, partial: false, existing: {}, given, related: visible })
      const prepared = (await resource.prepare?.(values, context)) ?? {}
      const shown = { ...visible, base: baseUrl }
      return insert(bound, { shown, values, prepared: { ...prepared, ...columns }, context })
    })
    return {
      status: 201,
      headers: { location: `${baseUrl}/${resource.name}/${id}/` },
      body: new JsonText(plans.create.serialize(json, call)),
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
    const added = await bound.resource.beforeSave?.(values, { context, connection })
    const row = await connection.first(statements.insert, arguments_(added ?? undefined))
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
