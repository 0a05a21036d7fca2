// Where the values of a resource's fields are kept: the columns of its table, and the form that they take there.

import type { SqlValue } from '../database/database.ts'
import type { Field } from '../fields/field.ts'
import type { Resource } from './resource.ts'

/** The columns that the statements of a resource write: those of its fields, then the hidden ones. */
export function writtenColumns(resource: Resource): readonly string[] {
  const stored = storedFields(resource).map(([name, field]) => storageColumn(name, field)!)
  return [...new Set([...stored, ...resource.hookColumns])]
}

/** The fields that a write keeps in the resource's own table. */
export function storedFields(resource: Resource): readonly (readonly [string, Field])[] {
  return Object.entries(resource.fields).filter(([name, field]) => !field.readOnly && storageColumn(name, field))
}

/** The column that keeps a field. */
export function storageColumn(name: string, { storage }: Field): string | undefined {
  return storage.kind === 'column' ? (storage.column ?? name) : undefined
}

/** A field's value as its column takes it. */
export const storedValue = (field: Field, value: unknown): SqlValue =>
  value === null || field.store === undefined ? (value as SqlValue) : field.store(value)
