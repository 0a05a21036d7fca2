// The columns that store fields.

import type { Field, Fields } from './field.ts'

/** The columns of a field that no column stores. */
export const noColumns = (): readonly string[] => []

/** The column that stores the value of a field; undefined if none does. */
export const storageColumn = (name: string, { columns }: Pick<Field, 'columns'>): string | undefined => columns(name)[0]

/** Whether a column stores the value of a field. */
export const hasColumn = (field: Pick<Field, 'columns'>): boolean => storageColumn('', field) !== undefined

/** The field that a column stores, and its name; undefined if there is none. */
export const findStoredField = (
  fields: Fields,
  column: string,
  matches: (field: Field) => boolean = () => true,
): readonly [name: string, field: Field] | undefined =>
  Object.entries(fields).find(([name, field]) => storageColumn(name, field) === column && matches(field))
