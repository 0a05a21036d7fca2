// The columns that store fields. A field has none, one, or one for each of its parts.

import type { SqlValue } from '../database/database.ts'
import {
  type ChildStorage,
  type Field,
  type FieldDefinition,
  type Fields,
  hasInitial,
  type StoredRows,
} from './field.ts'

/** The columns of a field that no column stores. */
export const noColumns = (): readonly string[] => []

/** The column that stores the whole value of a field; undefined if there is none. */
export const storageColumn = (
  name: string,
  { columns, parts }: Pick<Field, 'columns' | 'parts'>,
): string | undefined => (parts === undefined ? columns(name)[0] : undefined)

/** Whether a column stores the whole value of a field. */
export const hasColumn = (field: Pick<Field, 'columns' | 'parts'>): boolean => storageColumn('', field) !== undefined

/** Whether columns, rows of another table or other objects store the value of a field. */
export const isStored = ({ columns, storedRows, childStorage }: Field): boolean =>
  columns('').length > 0 || storedRows !== undefined || childStorage !== undefined

/** Whether the field shows columns of its row unchanged: no related rows, no computed values, and nothing of the request. */
export const showsOwnColumn = (field: FieldDefinition): boolean =>
  field.keyColumn !== undefined ||
  (field.columns('').length > 0 &&
    field.relation === undefined &&
    field.volatile === undefined &&
    field.requestUses === undefined &&
    !isComputed(field))

/** The rules of the files in a body: the field is a file, or a list of files. */
export const findFile = ({ file, child }: FieldDefinition): FieldDefinition['file'] => file ?? child?.file

/** Whether the value in responses is computed, and not read from a column of the field. */
export const isComputed = ({ compileValue, compute, computeAll }: FieldDefinition): boolean =>
  compileValue !== undefined || compute !== undefined || computeAll !== undefined

/** Whether the field is a second name of a column: another field gives the column a value if no body contains this one. */
export function isAlias(fields: Fields, name: string): boolean {
  const field = fields[name]!
  const column = storageColumn(name, field)
  const others = Object.entries(fields).filter(
    ([other, { readOnly }]) => other !== name && !readOnly && storageColumn(other, fields[other]!) === column,
  )
  const hasNone = !field.required && !hasInitial(field)
  return column !== undefined && hasNone && others.some(([, other]) => other.required || hasInitial(other))
}

/** A column that stores a field, or a part of it. */
export interface StoredColumn {
  readonly column: string
  /** The path of the value: `price`, or `price.amount`. */
  readonly path: string
  /** The field, or its part. */
  readonly field: Field
  /** Finds the value of the column in a value of the field, which may be null, and converts it. */
  store(value: unknown): SqlValue
}

/** The columns that store a field. */
export const listStoredColumns = (name: string, field: Field): readonly StoredColumn[] =>
  field.parts === undefined
    ? field.columns(name).map(column => ({ column, path: name, field, store: createStore(field) }))
    : Object.entries(field.parts).flatMap(([part, each]) =>
        listStoredColumns(part, each).map(stored => ({
          ...stored,
          path: `${name}.${part}`,
          store: value => stored.store((value as Readonly<Record<string, unknown>> | null)?.[part] ?? null),
        })),
      )

const createStore = ({ store }: Field): StoredColumn['store'] =>
  store === undefined ? value => value as SqlValue : value => (value === null ? null : store(value))

/** The columns that a field sets: those that store it, or the one with the key of the object that is written with it. */
export function listWrittenColumns(name: string, { childStorage, columns }: Field): readonly string[] {
  if (childStorage === undefined) return columns(name)
  return childStorage.column === undefined ? [] : [childStorage.column]
}

/** Converts a field's value to its stored form. */
export const toStoredValue = (field: Field, value: unknown): SqlValue =>
  value === null || field.store === undefined ? (value as SqlValue) : field.store(value)

/** The field, or the part of one, that a column stores, and the name of the field; undefined if there is none. */
export function findStoredField(
  fields: Fields,
  column: string,
  matches: (field: Field) => boolean = () => true,
): readonly [name: string, field: Field] | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const stored = listStoredColumns(name, field).find(each => each.column === column && matches(each.field))
    if (stored !== undefined) return [name, stored.field]
  }
  return undefined
}

/** The fields that rows of other tables store. */
export const listRowFields = (fields: Fields): readonly (readonly [name: string, field: Field, rows: StoredRows])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.storedRows ? [[name, field, field.storedRows] as const] : [],
  )

/** The fields whose objects are written together with the object of the fields. */
export const listChildren = (
  fields: Fields,
): readonly (readonly [name: string, field: Field, storage: ChildStorage])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.childStorage ? [[name, field, field.childStorage] as const] : [],
  )
