import { formatJson } from '../../base/exact-json.ts'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { DefaultFunction, Field, FieldDefinition } from '../field.ts'
import { findFile, hasColumn } from '../storage.ts'
import type { FieldKind } from './kind.ts'

export const jsonKind = Object.freeze<FieldKind>({
  name: 'json',
  schema: {},
  columns: ['json'],
  conversion: {
    store: value => formatJson(value),
    showValue: (value, dialect) => dialect.json(value),
  },
  lookups: ['isnull'],
  isJson: true,
})

/** An object with fields. */
export const objectKind = Object.freeze<FieldKind>({ ...jsonKind, name: 'nested object', schema: { type: 'object' } })

/** Any JSON value, stored in a `json` column. Integers beyond ±(2^53 - 1) are `bigint`. Forms send it as text. */
export function json<Value = unknown>(
  options: FieldOptions<Value> & { readonly nullable: true },
): Field<Value | null, Value | null, Value | null, 'optional'>
export function json<Value = unknown>(
  options: FieldOptions<Value> & { readonly default: Value | DefaultFunction },
): Field<Value, Value, Value, 'optional'>
export function json<Value = unknown>(
  options: FieldOptions<Value> & { readonly required: false },
): Field<Value, Value, Value, 'optional' | 'omittable'>
export function json<Value = unknown>(options?: FieldOptions<Value>): Field<Value, Value, Value, never>
export function json<Value>(options: FieldOptions<Value> = {}): FieldDefinition<Value> {
  return defineField<Value>(options, {
    kind: jsonKind,
    parse(input) {
      checkStrings(input)
      return input as Value
    },
    describeTaken: () => (options.nullable ? {} : { not: { type: 'null' } }),
    describeShown: () => ({}),
  })
}

/** Throws if a field cannot be stored inside JSON, because it needs a column, table or statement of its own. */
export function checkJsonPart(field: Field, subject: string): void {
  const { readOnly, writeOnly, relation, targetName, unique, visible } = field
  const isRelation = relation !== undefined || targetName !== undefined
  if (findFile(field)) throw new Error(`${subject} cannot be a file: make it a field of the resource`)
  if (visible) throw new Error(`${subject} cannot have "visible": make it a field of the resource`)
  if (readOnly || writeOnly || isRelation || unique !== undefined || !hasColumn(field))
    throw new Error(
      `${subject} cannot be a relation, computed, read-only, write-only or unique: make it a field of the resource`,
    )
}

/** Throws if the value contains a string or object key that the database cannot store. The parser limits the depth. */
export function checkStrings(value: unknown): void {
  if (typeof value === 'string') checkString(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    checkString(name)
    checkStrings(item)
  }
}

function checkString(text: string): void {
  if (text.includes('\0')) throw invalid('null_characters_not_allowed')
  if (!text.isWellFormed()) throw invalid('invalid.json')
}
