// The columns that keep the values of a resource's fields, and the form that values take there.

import type { SqlValue } from '../database/database.ts'
import type { Field, Fields, Relation } from '../fields/field.ts'

interface Written {
  readonly fields: Fields
  readonly hookColumns: readonly string[]
}

/** The columns that the statements of a resource write: those of its fields, then those that hooks write. */
export function writtenColumns(resource: Written): readonly string[] {
  const stored = storedFields(resource).map(([name, field]) => storageColumn(name, field)!)
  return [...new Set([...stored, ...resource.hookColumns])]
}

/** The fields that a write keeps in the resource's own table. */
export function storedFields(resource: Pick<Written, 'fields'>): readonly (readonly [string, Field])[] {
  return Object.entries(resource.fields).filter(([name, field]) => !field.readOnly && storageColumn(name, field))
}

/** The column that keeps a field. */
export function storageColumn(name: string, { storage }: Field): string | undefined {
  return storage.kind === 'column' ? (storage.column ?? name) : undefined
}

/** The column that lists are searched, filtered and ordered by for a field: that which keeps it, or the key's. */
export const comparedColumn = (name: string, field: Field): string | undefined =>
  field.keyColumn ?? storageColumn(name, field)

/** A field's value as its column takes it. */
export const storedValue = (field: Field, value: unknown): SqlValue =>
  value === null || field.store === undefined ? (value as SqlValue) : field.store(value)

/** The relation whose key a column keeps. */
export function relationIn(fields: Fields, column: string): Relation | undefined {
  const found = Object.entries(fields).find(
    ([name, field]) => field.relation !== undefined && storageColumn(name, field) === column,
  )
  return found?.[1].relation
}
