// How a declared table asks for an existing column.

import type { ColumnType, ExistingState } from '#core'
import { type Code, call, code, lazy } from '../code/format-code.ts'

type ColumnState = ExistingState['tables'][string]['columns'][string]
type SqlText = ExistingState['views'][string]

export interface Declared {
  readonly code: Code
  /** The option `key` of the table, if the column is its key and no usual one. */
  readonly key?: Code
  /** The type, if no field has it. */
  readonly type?: ColumnType
}

export interface ColumnPlace {
  /** Whether the column is the whole key. */
  readonly isKey: boolean
  /** The name in the declaration. */
  readonly name: string
  /** The type that a reference has by the key to which it refers. */
  readonly referredType: ColumnType | undefined
}

export function describeColumn(
  column: string,
  state: ColumnState,
  { isKey, name, referredType }: ColumnPlace,
): Declared {
  if (isKey) return describeKey(column, state)
  const { references, generated, nullable } = state
  if (references !== undefined) {
    const { table, onDelete } = references
    const options = { nullable, onDelete, column: column === `${name}_id` ? undefined : column }
    return {
      code: call('reference', table, options),
      // SQLite has several types for integers.
      ...(state.type !== referredType && { type: state.type }),
    }
  }
  const field = describeField(state)
  if (generated === undefined) return field
  return { ...field, code: call('generated', field.code, describeSql(generated)) }
}

export const describeSql = (sql: SqlText): Code =>
  lazy(call('sql.raw', typeof sql === 'string' ? sql : Object.values(sql)[0]))

function describeKey(column: string, { type }: ColumnState): Declared {
  const isUsual = type === 'key' || type === 'uuid' || type === 'text'
  const field = { code: call('key'), ...(!isUsual && { type }) }
  if (type === 'key' || type === 'integer') return field
  const options = { column: column === 'id' ? undefined : column }
  return { ...field, key: call(type === 'uuid' ? 'uuidKey' : 'textKey', options) }
}

/** The types whose fields have their names. */
const fieldTypes = new Set<unknown>('text boolean number date time dateTime duration uuid json'.split(' '))

/** Both databases store and sort decimals of so many digits exactly. */
const maxDigits = 15

function describeField({ type, nullable }: ColumnState): Declared {
  const create = (name: string, options?: object) => ({ code: call(name, { ...options, nullable }) })
  if (type === 'integer')
    return create('integer', { min: code('Number.MIN_SAFE_INTEGER'), max: code('Number.MAX_SAFE_INTEGER') })
  if (fieldTypes.has(type)) return create(type as string)
  const [digits, decimalPlaces] = /^decimal\((\d+),(\d+)\)$/.exec(String(type))?.slice(1).map(Number) ?? []
  if (digits !== undefined && digits <= maxDigits) return create('decimal', { maxDigits: digits, decimalPlaces })
  return { ...create('text'), type }
}
