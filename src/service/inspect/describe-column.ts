// How a declared table asks for an existing column.

import type { Column, ColumnType, ExistingState } from '#core'
import { type Code, call, lazy } from '../code/format-code.ts'
import { type FoundField, findField, type InspectedDatabase } from './find-field.ts'

export type ColumnState = ExistingState['tables'][string]['columns'][string]
type SqlText = ExistingState['views'][string]

export interface Declared {
  readonly code: Code
  /** The option `key` of the table, if the column is its key and no usual one. */
  readonly key?: Code
  /** The type, if no field has it. */
  readonly type?: ColumnType
  /** The field that stores the values; absent for references. */
  readonly field?: FoundField
}

export interface ColumnPlace {
  /** Whether the column is the whole key. */
  readonly isKey: boolean
  /** The name in the declaration. */
  readonly name: string
  /** The type that a reference has by the key to which it refers; undefined if the reference cannot be declared. */
  readonly referredType: ColumnType | undefined
  readonly database: InspectedDatabase
  /** The column in the catalogue. */
  readonly column: Column | undefined
  /** The field that the program which made the table stores in the column. */
  readonly known: FoundField | undefined
}

export function describeColumn(name: string, state: ColumnState, place: ColumnPlace): Declared {
  const { isKey, referredType, database, column } = place
  const field = place.known ?? findField(state.type, database, column)
  const { references, generated, nullable } = state
  if (isKey && references === undefined) return { ...describeKey(name, state, field, column), field }
  if (references !== undefined && referredType !== undefined) {
    const { table, onDelete } = references
    const options = { nullable, onDelete, column: name === `${place.name}_id` ? undefined : name }
    return {
      code: call('reference', table, options),
      ...(isKey && { key: formatKey(name, field, true) ?? call('integerKey', { column: name }) }),
      // SQLite has several types for integers.
      ...(state.type !== referredType && { type: state.type }),
    }
  }
  const declared = {
    code: formatField(field, { nullable }),
    field,
    ...(!hasType(field, state.type) && { type: state.type }),
  }
  if (generated === undefined) return declared
  return { ...declared, code: call('generated', declared.code, describeSql(generated)) }
}

export const formatField = ({ name, args = [], options }: FoundField, more: object = {}): Code =>
  call(name, ...args, { ...options, ...more })

export const describeSql = (sql: SqlText): Code =>
  lazy(call('sql.raw', typeof sql === 'string' ? sql : Object.values(sql)[0]))

/** Whether the column of a declared field has this type. */
function hasType({ name, options }: FoundField, type: ColumnType): boolean {
  if (name !== 'decimal') return type === name
  const { maxDigits, decimalPlaces } = options as Readonly<Record<'maxDigits' | 'decimalPlaces', number>>
  return type === `decimal(${maxDigits},${decimalPlaces})`
}

/** The kinds of fields whose columns can be the key of a resource. */
const keyFields = new Set(['integer', 'uuid', 'text', 'choice'])

export const canBeKey = ({ name, omission }: FoundField): boolean => keyFields.has(name) && omission === undefined

function describeKey(
  name: string,
  { type, default: value }: ColumnState,
  field: FoundField,
  column?: Column,
): Declared {
  const key = formatKey(name, field, value !== undefined || column?.hasDefault === true)
  const usual = { integer: 'key', uuid: 'uuid', text: 'text' }[field.name]
  return { code: call('key'), ...(key && { key }), ...(type !== usual && { type }) }
}

/** The key of a table or of a resource; undefined for an integer in the column `id`. */
export function formatKey(
  name: string,
  { name: kind, args, options = {} }: FoundField,
  isGenerated: boolean,
): Code | undefined {
  const column = name === 'id' ? undefined : name
  if (kind === 'integer') return undefined
  if (kind === 'choice') return call('textKey', { column, choices: args![0] })
  const { max, stored } = options as { readonly max?: number; readonly stored?: string }
  if (kind === 'uuid') return call('uuidKey', { column, generated: isGenerated ? 'database' : undefined, stored })
  return call('textKey', { column, max })
}
