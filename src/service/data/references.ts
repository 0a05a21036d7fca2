// How a row of a data file refers to a row of another table: by its key, or by a unique field, such as
// `{ "username": "ada" }`.

import {
  defineField,
  type Field,
  type Fields,
  formatTypeName,
  hasColumn,
  type RelationTarget,
  type SqlValue,
  storageColumn,
  ValidationError,
  valueKind,
} from '#core'
import { createRowKey } from './row-fields.ts'

/** A reference in a row: the value of a column of the referenced table. */
export interface Reference {
  readonly column: string
  readonly value: SqlValue
}

/** Creates the field of a reference to one row. */
export function referenceField(
  target: RelationTarget,
  { required, nullable }: Pick<Field, 'required' | 'nullable'>,
): Field<Reference> {
  const uniqueFields = listUniqueFields(target)
  return defineField<Reference>(
    { required, nullable },
    {
      kind: valueKind,
      async parse(input, context) {
        if (typeof input === 'number' || typeof input === 'string')
          return { column: target.key.column, value: await createRowKey(target.key).parse(input, context) }
        const [[name, value] = [''], ...others] = Object.entries(Object(input))
        const field = uniqueFields[name]
        if (field === undefined || others.length > 0)
          throw new ValidationError(formatMessage(input, Object.keys(uniqueFields)))
        const parsed = await field.parse(value, context)
        return { column: storageColumn(name, field)!, value: field.store?.(parsed) ?? (parsed as SqlValue) }
      },
    },
  )
}

// Only a declared resource has fields.
function listUniqueFields(target: RelationTarget & { readonly fields?: Fields }): Fields {
  const unique = Object.entries(target.fields ?? {}).filter(
    ([, field]) => field.unique !== undefined && hasColumn(field),
  )
  return Object.fromEntries(unique)
}

function formatMessage(input: unknown, names: readonly string[]): string {
  const objects = names.map(name => `, or an object such as {${JSON.stringify(name)}: …}`)
  return `Expected a key${objects.slice(0, 1).join('')}, but got ${formatTypeName(input)}.`
}
