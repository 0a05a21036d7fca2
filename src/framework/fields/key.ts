import { findPublicIdentifier, type Key, type KeyValue } from '../keys/key.ts'
import { readChoices } from './choices.ts'
import { columnReference, defineField, type Field, type FieldDefinition, type FieldOptions, readOnly } from './field.ts'
import type { OwnKey } from './field-types.ts'

/** The options of the field `key()`. */
export type KeyFieldOptions = Pick<FieldOptions<never>, 'label' | 'help'>

/**
 * The primary key of the resource. Read-only, except for a `textKey()`: the body that creates an object gives it, and it
 * cannot be changed afterwards. For a `publicId()`, the field shows the public text.
 */
export function key(options: KeyFieldOptions = {}): Field<KeyValue, OwnKey, OwnKey, 'fixed'> {
  const field = defineField<KeyValue>(options, {
    type: 'field',
    storage: { kind: 'none' },
    parse: input => input as KeyValue,
    forKey: of => (of.source === 'body' ? createWritable(options, of) : createReadOnly(options, of)),
    show: location => columnReference(location, findPublicIdentifier(location.key).column),
  })
  return { ...readOnly<KeyValue, OwnKey>(field) }
}

function createWritable(
  options: KeyFieldOptions,
  { column, bounds = {}, choices, read }: Key,
): FieldDefinition<KeyValue> {
  return defineField<KeyValue>(
    { ...options, column, fixed: true },
    {
      type: choices === undefined ? 'string' : 'choice',
      bounds,
      ...(choices && { choices: readChoices(choices, 'textKey()') }),
      unique: 'This field must be unique.',
      keyColumn: column,
      parse: read,
    },
  )
}

function createReadOnly(options: KeyFieldOptions, key: Key): FieldDefinition<KeyValue> {
  const { column, type, read } = findPublicIdentifier(key)
  return readOnly(
    defineField<KeyValue>(options, {
      type,
      parse: read,
      storage: { kind: 'none' },
      keyColumn: column,
      show: location => columnReference(location, column),
    }),
  )
}
