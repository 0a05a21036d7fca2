// How a declared table asks for an existing column.

import type { ColumnType, ExistingState } from '#core'
import { type Code, code, formatText } from './format-code.ts'

type ColumnState = ExistingState['tables'][string]['columns'][string]

export interface Declared {
  readonly code: Code
  /** The functions that the code calls. */
  readonly imports: readonly string[]
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
    const options = [
      ...(nullable ? ['nullable: true'] : []),
      ...(references.onDelete === undefined ? [] : [`onDelete: ${formatText(references.onDelete)}`]),
      ...(column === `${name}_id` ? [] : [`column: ${formatText(column)}`]),
    ]
    const end = options.length === 0 ? '' : `, { ${options.join(', ')} }`
    return {
      code: code(`reference(${formatText(references.table)}${end})`),
      imports: ['reference'],
      // SQLite has several types for integers.
      ...(state.type !== referredType && { type: state.type }),
    }
  }
  const field = describeField(state)
  if (generated === undefined) return field
  const text = typeof generated === 'string' ? generated : Object.values(generated)[0]!
  return {
    ...field,
    code: code(`generated(${field.code.code}, () => sql.raw(${formatText(text)}))`),
    imports: [...field.imports, 'generated', 'sql'],
  }
}

function describeKey(column: string, { type }: ColumnState): Declared {
  const option = column === 'id' ? '' : `{ column: ${formatText(column)} }`
  if (type === 'uuid') return { code: code('key()'), imports: ['key', 'uuidKey'], key: code(`uuidKey(${option})`) }
  if (type === 'key') return { code: code('key()'), imports: ['key'] }
  if (type === 'integer') return { code: code('key()'), imports: ['key'], type }
  const isText = type === 'text'
  return {
    code: code('key()'),
    imports: ['key', 'textKey'],
    key: code(`textKey(${option})`),
    ...(!isText && { type }),
  }
}

const functions: Readonly<Record<string, string>> = {
  text: 'text',
  boolean: 'boolean',
  number: 'number',
  date: 'date',
  time: 'time',
  dateTime: 'dateTime',
  duration: 'duration',
  uuid: 'uuid',
  json: 'json',
}

/** Both databases store and sort decimals of so many digits exactly. */
const maxDigits = 15

function describeField({ type, nullable }: ColumnState): Declared {
  const options = nullable ? ['nullable: true'] : []
  const call = (name: string, own: readonly string[] = []): Pick<Declared, 'code' | 'imports'> => {
    const all = [...own, ...options]
    return { code: code(`${name}(${all.length === 0 ? '' : `{ ${all.join(', ')} }`})`), imports: [name] }
  }
  if (type === 'integer') return call('integer', ['min: Number.MIN_SAFE_INTEGER', 'max: Number.MAX_SAFE_INTEGER'])
  if (typeof type === 'string' && Object.hasOwn(functions, type)) return call(functions[type]!)
  const [, digits, places] = typeof type === 'string' ? (/^decimal\((\d+),(\d+)\)$/.exec(type) ?? []) : []
  if (digits !== undefined && Number(digits) <= maxDigits)
    return call('decimal', [`maxDigits: ${digits}`, `decimalPlaces: ${places}`])
  return { ...call('text'), type }
}
