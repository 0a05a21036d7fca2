// Fields that only data files have: the primary key of a row, and lists.

import { defineField, type FieldDefinition, findIdentifierKind, integer, type Key, type KeyValue, list } from '#core'

/** An integer primary key of a row in the file. */
export const keyField = integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

/** The primary key of a row of a resource in the file. */
export const createRowKey = (key: Key): FieldDefinition<KeyValue> =>
  key.type === 'integer' ? keyField : defineField<KeyValue>({}, { kind: findIdentifierKind(key), parse: key.read })

/** A list of any length, by default empty. */
export const itemsOf = <Item>(of: FieldDefinition<Item>): FieldDefinition<readonly Item[]> =>
  list({ of, max: Number.MAX_SAFE_INTEGER, default: [] })
