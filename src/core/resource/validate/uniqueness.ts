// Checks that unique values are free, for one object or for all objects of a request together.

import type { Gather } from '../../base/gather.ts'
import type { Arguments, Connection, Database, SqlValue } from '../../database/database.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import type { Fields } from '../../fields/field.ts'
import { storageColumn, toStoredValue } from '../../fields/storage.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Resource } from '../declare/resource.ts'
import { compileSameValues, compileSameValuesOfMany, listCompared, nameRowValues } from '../sql/check.ts'
import { findStoringResource } from '../sql/table-parts.ts'
import { findFilledOfSet, listTenantColumns, readFilled } from './caller-columns.ts'

/** The object whose values are checked. */
export interface ObjectCheck {
  /** The primary key of the changed object; undefined for a new one. */
  readonly id: KeyValue | undefined
  readonly request: HandlerContext
  /** Runs the checks: in a transaction, they see its uncommitted rows. */
  readonly connection: Connection
  /** Set if other bodies are read at the same time: the checks of all of them run together. */
  readonly gather?: Gather
  /** The keys of objects whose unique values count as free, because the same request changes or removes them. */
  readonly replaced?: ReadonlySet<KeyValue>
}

/** Creates the check that no other object has a value. */
export function createUniquenessCheck(
  database: Database,
  resource: Resource,
  name: string,
  message: MessageText,
): (value: unknown, context: ObjectCheck) => Promise<unknown> {
  const isTaken = createTakenCheck(database, resource, [name], listTenantColumns(resource))
  return async (value, context) => {
    if (value !== null && (await isTaken({ [name]: value }, context))) throw new ValidationError(message, 'unique')
    return value
  }
}

/** Creates the check that no other object has a set of values. A set that contains null is always unique, as in SQL. */
export function createUniqueSetCheck(database: Database, resource: Resource, names: readonly string[]) {
  const isTaken = createTakenCheck(database, resource, names, findFilledOfSet(resource, names))
  return async (values: Readonly<Record<string, unknown>>, context: ObjectCheck): Promise<void> => {
    if (names.some(name => values[name] === undefined || values[name] === null)) return
    if (await isTaken(values, context)) throw createUniqueSetError(resource.fields, names)
  }
}

/** The error of a set of fields whose values another object has. */
export const createUniqueSetError = (fields: Fields, names: readonly string[]): ValidationError =>
  invalid('unique.set', { fields: names.map(name => nameOnWire(name, fields[name]!)).join(', ') })

// The check resolves to true if another object has these values. `filled`: the columns that bodies cannot write, in which it is the same.
function createTakenCheck(database: Database, declared: Resource, names: readonly string[], filled: readonly string[]) {
  const columns = names.map(name => storageColumn(name, declared.fields[name]!)!)
  const resource = findStoringResource(declared, [...columns, ...filled])
  const statement = compileSameValues(database, resource, names, filled)
  const statementOfMany = compileSameValuesOfMany(database, resource, columns, filled)
  const compared = listCompared(resource, columns, filled)
  return async (values: Readonly<Record<string, unknown>>, context: ObjectCheck): Promise<boolean> => {
    const { id, connection, gather, replaced, request } = context
    const own = filled.length === 0 ? undefined : readFilled(resource, request.user, filled, id)
    const stored = names.map(name => toStoredValue(resource.fields[name]!, values[name]))
    const keys =
      gather === undefined
        ? (await connection.run(statement, { ...nameValues(names, stored), ...(own && nameRowValues(id, own)) })).map(
            ([key]) => key,
          )
        : await gather(statementOfMany, own ? [...stored, ...Object.values(own), id ?? null] : stored, all =>
            findOwners(connection, statementOfMany, database.dialect.formatRecords(all, compared, noJson), all),
          )
    return keys.some(key => key !== id && !replaced?.has(key))
  }
}

const noJson: ReadonlySet<string> = new Set()

const nameValues = (names: readonly string[], values: readonly SqlValue[]): Arguments =>
  Object.fromEntries(names.map((name, index) => [name, values[index]!]))

// The keys of the objects that have the values of each item.
async function findOwners(
  connection: Connection,
  statement: ReturnType<typeof compileSameValuesOfMany>,
  rows: string,
  items: readonly unknown[],
): Promise<readonly (readonly KeyValue[])[]> {
  const found = items.map((): KeyValue[] => [])
  for (const [place, key] of await connection.run(statement, { rows })) found[place]!.push(key)
  return found
}
