import { type Field, formatTypeName, invalid } from './field.ts'
import { parseKey } from './key.ts'
import {
  type KeyRepresentation,
  relatedToMany,
  relatedToOne,
  type ToManyOptions,
  type ToOneOptions,
} from './related.ts'

const primaryKey: KeyRepresentation = {
  type: 'field',
  parse: parsePrimaryKey,
  show: (_place, _target, key) => key,
  missing: key => createMissingError(key),
}

/** A relation whose related objects are represented by their keys. */
export function primaryKeyRelated(options: ToManyOptions): Field<readonly number[]>
export function primaryKeyRelated(options: ToOneOptions): Field<number>
export function primaryKeyRelated(options: ToOneOptions | ToManyOptions): Field<number> | Field<readonly number[]> {
  return 'many' in options ? relatedToMany(options, primaryKey) : relatedToOne(options, primaryKey)
}

function parsePrimaryKey(input: unknown): number {
  if (typeof input !== 'number' && typeof input !== 'bigint' && typeof input !== 'string') {
    throw invalid('incorrect_type', { type: formatTypeName(input) })
  }
  const key = parseKey(String(input))
  if (key !== undefined) return key
  if (typeof input !== 'string' || /^\d{1,100}$/.test(input)) throw createMissingError(input)
  throw invalid('incorrect_type', { type: 'str' })
}

const createMissingError = (key: unknown) => invalid('does_not_exist', { value: String(key) })
