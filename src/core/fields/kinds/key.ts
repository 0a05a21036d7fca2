import { describeIdentifier, findPublicIdentifier, type Key, type KeyValue, takesKey } from '../../keys/key.ts'
import { readChoices } from '../choices/choices.ts'
import { columnReference } from '../column-reference.ts'
import { createCompletable } from '../complete-field.ts'
import { defineField, type FieldOptions, readOnly } from '../define-field.ts'
import type { Field, FieldDefinition } from '../field.ts'
import type { FieldLink, OwnKey } from '../field-types.ts'
import { findIdentifierKind } from '../identifier.ts'
import { noColumns } from '../storage.ts'
import { findChoiceKind } from './choice.ts'
import { valueKind } from './kind.ts'

/** The options of the field `key()`. */
export type KeyFieldOptions = Pick<FieldOptions<never>, 'label' | 'help'>

/** The field {@link key}. Its types are those of the key of its resource. */
export type KeyField = Field<KeyValue, OwnKey, OwnKey, 'fixed', FieldLink<'key', null, null, null, null>>

/**
 * The primary key of the resource. Read-only, except for a `textKey()`: the body that creates an object gives it, and it
 * cannot be changed afterwards. For a `publicId()`, the field shows the public text.
 */
export function key(options: KeyFieldOptions = {}): KeyField {
  const field = defineField<KeyValue>(options, {
    kind: valueKind,
    columns: noColumns,
    parse() {
      throw new Error('key() is a field of a resource: declare a field of the type of the key here')
    },
    show: location => columnReference(location, findPublicIdentifier(location.key).column),
  })
  return createCompletable(field, {
    forKey: of => (takesKey(of) ? createWritable(options, of) : createReadOnly(options, of)),
  })
}

function createWritable(options: KeyFieldOptions, of: Key): FieldDefinition<KeyValue> {
  const { column, bounds = {}, read, source } = of
  const choices = of.choices && readChoices(of.choices, 'textKey()')
  return defineField<KeyValue>(
    { ...options, column, fixed: true, ...(source === 'service' && { default: () => of.create!()[column] }) },
    {
      kind: choices === undefined ? findIdentifierKind(of) : findChoiceKind(choices),
      bounds,
      ...(choices && { choices }),
      unique: 'This field must be unique.',
      keyColumn: column,
      parse: read,
      describeTaken: () => describeIdentifier(of),
    },
  )
}

function createReadOnly(options: KeyFieldOptions, key: Key): FieldDefinition<KeyValue> {
  const identifier = findPublicIdentifier(key)
  const { column, read } = identifier
  const field = defineField<KeyValue>(options, {
    kind: findIdentifierKind(identifier),
    parse: read,
    describeTaken: () => describeIdentifier(identifier),
    columns: noColumns,
    keyColumn: column,
    show: location => columnReference(location, column),
  })
  return readOnly(field)
}
