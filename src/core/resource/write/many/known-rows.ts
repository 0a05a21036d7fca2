// The representations of new rows that contain nothing but the key and columns that store each value as it was written. They
// are made from the written values, so the database returns only the keys (decision 004).

import type { KeepsValue } from '../../../database/written-values.ts'
import type { Field } from '../../../fields/field.ts'
import { isShownAsWritten } from '../../../fields/shown-as-written.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { storageColumn } from '../../declare/storage.ts'
import type { ManyStatements } from '../../sql/many.ts'
import { keepStoredJson } from '../../sql/serializer.ts'
import type { RowValues } from './row-writer.ts'

/** A representation: names on the wire, and values that JSON expresses. */
export type KnownObject = Record<string, string | number | boolean | null>

/** Makes the representations of one resource. */
export interface KnownRows {
  /** Whether the database shows all values of the row as they are. */
  areKept(row: RowValues): boolean
  /** The representation of a row. */
  createObject(row: RowValues, key: number): KnownObject
  /** False once the table has triggers or the like. */
  isPlain: boolean
}

// Made with the first insert, because the tables are known only when Fastify is ready.
const found = new WeakMap<ManyStatements, KnownRows | { readonly isPlain: false }>()

/** Finds what makes the representations; undefined if the database must make them. */
export function findKnownRows(bound: BoundResource, statements: ManyStatements): KnownRows | undefined {
  const known = found.get(statements) ?? createKnownRows(bound, statements.columns) ?? { isPlain: false }
  found.set(statements, known)
  return known.isPlain ? known : undefined
}

/** A member of a representation other than the key. */
interface Member {
  readonly name: string
  /** The place of the value in a row. */
  readonly index: number
  readonly keeps: KeepsValue
}

function createKnownRows(bound: BoundResource, columns: readonly string[]): KnownRows | undefined {
  const { resource, plans, related } = bound
  const { key, lookup, table } = resource
  const isSequence = key.source === 'database' && key.type === 'integer'
  if (!isSequence || (lookup ?? key.publicIdentifier) !== undefined || table.includes('.')) return undefined
  if (plans.create.serializer !== keepStoredJson) return undefined
  const shown = Object.entries(plans.create.shows)
    .filter(([, field]) => related.isShown(field) && !field.writeOnly)
    .map(([name, field]) => ({ name, wireName: nameOnWire(name, field), field }))
  // An object would have the names of integers first.
  if (!shown.every(({ field, wireName }) => isShownAsWritten(field) && !/^\d+$/.test(wireName))) return undefined
  const isKey = ({ field }: { readonly field: Field }) => field.keyColumn === key.column
  const others = shown.filter(member => !isKey(member))
  const members = others.flatMap(({ name, wireName, field }) => {
    const place = findPlace(bound, columns, name, field)
    return place === undefined ? [] : { name: wireName, ...place }
  })
  if (members.length < others.length) return undefined
  const empty: KnownObject = Object.fromEntries(shown.map(({ wireName }) => [wireName, null]))
  const keyName = shown.find(isKey)?.wireName
  return {
    areKept: row => members.every(({ index, keeps }) => keeps(row[index]!)),
    createObject(row, key) {
      // Copying an object that has all members is faster than adding them.
      const object = { ...empty }
      if (keyName !== undefined) object[keyName] = key
      for (const { name, index } of members) object[name] = row[index]!
      return object
    },
    isPlain: true,
  }
}

function findPlace(
  { resource, tables, database }: BoundResource,
  columns: readonly string[],
  name: string,
  field: Field,
): Omit<Member, 'name'> | undefined {
  const stored = storageColumn(name, field)
  const column = stored === undefined ? undefined : tables.get(resource.table)?.column(stored)
  const index = stored === undefined ? -1 : columns.indexOf(stored)
  const keeps = column && database.dialect.findKeptValues(column, field.type)
  return keeps === undefined || index < 0 ? undefined : { index, keeps }
}
