// Finds the field that stores its values in an existing column, by the type of the column.

import type { Column, ColumnType } from '#core'
import { code } from '../code/format-code.ts'

/** A field as the declaration calls it. */
export interface FoundField {
  readonly name: string
  readonly args?: readonly unknown[]
  readonly options?: object
  /** True: the rows told the options. */
  readonly isGuess?: boolean
  /** Why no field shows the column. */
  readonly omission?: string
}

export type InspectedDatabase = 'sqlite' | 'postgres'

/** The types whose fields have their names. */
const fieldTypes = new Set<unknown>('text boolean number date time dateTime duration uuid json'.split(' '))

const anyInteger: FoundField = {
  name: 'integer',
  options: { min: code('Number.MIN_SAFE_INTEGER'), max: code('Number.MAX_SAFE_INTEGER') },
}

/** `column`: the column in the catalogue, which knows more about types than their names. */
export function findField(type: ColumnType, database: InspectedDatabase, column?: Column): FoundField {
  if (type === 'integer' || type === 'key') return anyInteger
  if (fieldTypes.has(type)) return { name: type as string }
  const text = (typeof type === 'object' ? type[database] : type).toLowerCase()
  if (column?.kind === 'enum') return { name: 'choice', args: [column.labels] }
  if (database === 'postgres' && column?.kind === 'other')
    return { name: 'text', omission: `no field shows the type ${text}` }
  const found = fieldsOfTypes.find(([pattern]) => pattern.test(text))
  if (found === undefined) return byKind[column?.kind ?? 'other'] ?? { name: 'text' }
  const numbers = found[0].exec(text)!.slice(1).map(Number)
  return found[1](numbers, database)
}

type CreateField = (numbers: readonly number[], database: InspectedDatabase) => FoundField

/** Both databases store and sort decimals of so many digits exactly. */
const maxDigits = 15

const createDecimal: CreateField = ([digits, places = 0]) => ({
  name: 'decimal',
  options: { maxDigits: Math.min(digits!, maxDigits), decimalPlaces: Math.min(places || 0, digits!, maxDigits) },
})

const fieldsOfTypes: readonly (readonly [RegExp, CreateField])[] = [
  [
    /^(?:n|native )?(?:var)?(?:char|character)(?: varying)?\s*\((\d+)\)/,
    ([max]) => ({ name: 'text', options: { max } }),
  ],
  [/^(?:bool|tinyint\s*\(1\)|bit$)/, () => ({ name: 'boolean' })],
  [/^(?:big|u?int8).*unsigned/, () => ({ ...anyInteger, options: { ...anyInteger.options, min: 0 } })],
  [/int.*unsigned/, () => ({ name: 'integer', options: { min: 0 } })],
  [/^(?:smallint|int2)\b/, () => ({ name: 'integer', options: { min: -32_768, max: 32_767 } })],
  [/^(?:tinyint|mediumint|int|int4|integer)\b/, () => ({ name: 'integer' })],
  [/int(?!erval)/, () => anyInteger],
  [/^(?:real|float|double)/, () => ({ name: 'number' })],
  [/^(?:numeric|decimal)\s*\((\d+)(?:\s*,\s*(\d+))?\)/, createDecimal],
  [/^(?:numeric|decimal)/, () => ({ name: 'number' })],
  [
    /^(?:datetime|timestamp)/,
    (_, database) => ({ name: 'dateTime', ...(database === 'sqlite' && { options: { stored: 'sql' } }) }),
  ],
  [/^date$/, () => ({ name: 'date' })],
  [/^time(?!.*with time zone)/, () => ({ name: 'time' })],
  [/^uuid$/, () => ({ name: 'uuid' })],
  [/^jsonb?$/, () => ({ name: 'json' })],
  [/blob|bytea|binary|^image$/, () => ({ name: 'text', omission: 'no field shows bytes' })],
]

/** For domains, whose names say nothing. */
const byKind: Readonly<Partial<Record<Column['kind'], FoundField>>> = {
  integer: { name: 'integer' },
  decimal: { name: 'number' },
  float: { name: 'number' },
  boolean: { name: 'boolean' },
  date: { name: 'date' },
  time: { name: 'time' },
  datetime: { name: 'dateTime' },
  uuid: { name: 'uuid' },
  json: { name: 'json' },
}
