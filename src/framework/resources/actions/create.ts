// POST on a list: 201, the new object, and its URL as Location.

import { JsonText } from '../../answer.ts'
import type { Connection } from '../../database/database.ts'
import type { Handler } from '../../view.ts'
import type { Binding } from '../binding.ts'
import type { Columns, Values, WriteContext } from '../resource.ts'
import { columnValues, needsTransaction, saveRows, untilWon, writeContext } from '../write.ts'

type Created = readonly [id: number, json: string]

/** The handler that makes an object. */
export function create(binding: Binding): Handler {
  const { resource, route, validate } = binding
  return async call => {
    const { baseUrl } = call
    const [id, json] = await untilWon(async () => {
      const context = writeContext(binding, call, 'create')
      const values = await validate(call.input, {
        partial: false,
        id: undefined,
        context: { baseUrl, route },
      })
      const prepared = (await resource.prepare?.(values, context)) ?? {}
      return insert(binding, baseUrl, values, prepared, context)
    })
    return {
      status: 201,
      headers: { location: `${baseUrl}/${resource.name}/${id}/` },
      content: new JsonText(json),
    }
  }
}

async function insert(
  binding: Binding,
  base: string,
  values: Values,
  prepared: Columns,
  context: WriteContext,
): Promise<Created> {
  const { database, columns, statements } = binding
  const arguments_ = (added: Columns | undefined) => ({
    ...Object.fromEntries(columns.map(column => [column, null])),
    ...columnValues(binding, values),
    ...prepared,
    ...added,
    base,
  })
  if (!needsTransaction(binding, values)) {
    const [row] = await database.write(statements.insert, arguments_(undefined))
    return row!
  }
  return database.transaction(async connection => {
    const added = await binding.resource.beforeSave?.(values, { context, connection })
    const row = await connection.first(statements.insert, arguments_(added ?? undefined))
    return complete(binding, connection, base, row!, values, context)
  })
}

// Relations are rows of their own, so the representation is read again once they stand.
async function complete(
  binding: Binding,
  connection: Connection,
  base: string,
  [id, json]: Created,
  values: Values,
  context: WriteContext,
): Promise<Created> {
  const hasRows = await saveRows(binding, connection, id, values)
  await binding.resource.afterSave?.(id, { context, connection })
  if (!hasRows) return [id, json]
  const row = await connection.first(binding.statements.retrieve, { base, id })
  return [id, row![0]]
}
