import { findPublicIdentifier, type Identifier, type KeyValue } from '../keys/key.ts'
import { type Field, formatTypeName, invalid } from './field.ts'
import {
  type KeyRepresentation,
  relatedToMany,
  relatedToOne,
  type ToManyOptions,
  type ToOneOptions,
} from './related.ts'

const primaryKey: KeyRepresentation = {
  type: 'field',
  parse: (input, _context, { key }) => parsePrimaryKey(input, findPublicIdentifier(key)),
  show: (_place, _target, key) => key,
  missing: key => createMissingError(key),
}

/** A relation whose related objects are represented by their keys. */
export function primaryKeyRelated(options: ToManyOptions): Field<readonly KeyValue[]>
export function primaryKeyRelated(options: ToOneOptions): Field<KeyValue>
export function primaryKeyRelated(options: ToOneOptions | ToManyOptions): Field<KeyValue> | Field<readonly KeyValue[]> {
  return 'many' in options ? relatedToMany(options, primaryKey) : relatedToOne(options, primaryKey)
}

function parsePrimaryKey(input: unknown, identifier: Identifier): KeyValue {
  if (typeof input !== 'number' && typeof input !== 'bigint' && typeof input !== 'string') {
    throw invalid(`Incorrect type. Expected pk value, received ${formatTypeName(input)}.`, 'incorrect_type')
  }
  const key = identifier.type === 'uuid' ? identifier.read(input) : identifier.parse(String(input))
  if (key !== undefined) return key
  if (identifier.type !== 'integer' || typeof input !== 'string' || /^\d{1,100}$/.test(input))
    throw createMissingError(input)
  throw invalid('Incorrect type. Expected pk value, received str.', 'incorrect_type')
}

const maxEchoLength = 100

function createMissingError(key: unknown) {
  const text = String(key)
  const shown = text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text
  return invalid(`Invalid pk "${shown}" - object does not exist.`, 'does_not_exist')
}
