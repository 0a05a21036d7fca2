import { numeral } from '../kinds/number.ts'
import type { SchemaField } from './json-schema-field.ts'

const booleanTexts = new Map([
  ...['1', 't', 'true', 'y', 'yes', 'on'].map(text => [text, true] as const),
  ...['0', 'f', 'false', 'n', 'no', 'off'].map(text => [text, false] as const),
])

const maxInputLength = 1000

/**
 * Converts the strings in a value to numbers and booleans where the schema has those, because forms contain only strings.
 * Other strings stay unchanged, and the schema rejects them.
 */
export function convertStrings(input: unknown, { convertsTo, child, children }: SchemaField): unknown {
  if (Array.isArray(input)) return child ? input.map(item => convertStrings(item, child)) : input
  if (typeof input === 'object' && input !== null) return children ? mapEntries(input, children) : input
  if (typeof input === 'bigint' && convertsTo === 'number') return Number(input)
  if (typeof input !== 'string') return input
  const text = input.trim()
  if (convertsTo === 'boolean') return booleanTexts.get(text.toLowerCase()) ?? input
  const isNumber = convertsTo === 'number' && text.length <= maxInputLength && numeral.test(text)
  return isNumber ? Number(text) : input
}

const mapEntries = (input: object, children: Readonly<Record<string, SchemaField>>): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Object.hasOwn(children, name) ? convertStrings(value, children[name]!) : value,
    ]),
  )
