// The columns that store the fields of a resource, and the stored form of their values.

import type { Field, Fields, Join, Relation } from '../../fields/field.ts'
import { findStoredField, listChildren, listWrittenColumns, storageColumn } from '../../fields/storage.ts'
import type { Key } from '../../keys/key.ts'
import { listUrlColumns, type NestedUnder } from './nested-under.ts'

interface WrittenResource {
  readonly fields: Fields
  readonly hookColumns: readonly string[]
  readonly nestedUnder: readonly Pick<NestedUnder, 'column' | 'through'>[]
}

interface KeyedResource {
  readonly key: Key
  readonly singleton?: unknown
}

/**
 * The columns that the statements of a resource write: those of its fields, then those that hooks write. An insert also
 * writes the columns that identify the new object, and those that its URL sets; an update leaves out the fixed fields.
 */
export function writtenColumns({ key, singleton, ...resource }: WrittenResource & KeyedResource): WrittenColumns {
  const written = writtenFields(resource)
  const toColumns = (fields: typeof written) => fields.flatMap(([name, field]) => listWrittenColumns(name, field))
  return {
    create: [
      ...new Set([
        ...listKeyColumns({ key, singleton }),
        ...toColumns(written),
        ...resource.hookColumns,
        ...listUrlColumns(resource),
      ]),
    ],
    update: [...new Set([...toColumns(written.filter(([, { fixed }]) => !fixed)), ...resource.hookColumns])],
  }
}

/** The columns that identify a new object, if the service or the option `singleton` makes its key. */
export const listKeyColumns = ({ key, singleton }: KeyedResource): readonly string[] =>
  singleton === undefined ? Object.keys(key.create?.() ?? {}) : [key.column]

/** The columns that each action writes. */
export interface WrittenColumns {
  readonly create: readonly string[]
  readonly update: readonly string[]
}

/** The fields that a write stores in the resource's own table. */
export function storedFields(resource: Pick<WrittenResource, 'fields'>): readonly (readonly [string, Field])[] {
  return Object.entries(resource.fields).filter(([name, field]) => !field.readOnly && field.columns(name).length > 0)
}

/** The fields that set a column of the resource's own table. */
export const writtenFields = (resource: Pick<WrittenResource, 'fields'>): readonly (readonly [string, Field])[] =>
  Object.entries(resource.fields).filter(
    ([name, field]) => !field.readOnly && listWrittenColumns(name, field).length > 0,
  )

/** The column by which lists search, filter and order a field: its storage column, or the key column. */
export const comparedColumn = (name: string, field: Field): string | undefined =>
  field.keyColumn ?? storageColumn(name, field)

/** The relation whose key a column stores. */
export const findRelation = (fields: Fields, column: string): Relation | undefined =>
  findStoredField(fields, column, ({ relation }) => relation !== undefined)?.[1].relation

/** How a column leads to the object that is written with this one; undefined if the column contains no key of such an object. */
export const findChildJoin = (fields: Fields, column: string): Join | undefined =>
  listChildren(fields).find(([, , storage]) => storage.column === column)?.[1].join
