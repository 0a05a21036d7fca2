import { formatJson } from '../exact-json.ts'
import { defineField, type Field, type FieldOptions, invalid } from './field.ts'

const longestEcho = 200

/** One of a fixed set of texts, kept as given. Anything with the choices as its keys will do. */
export function choice(choices: Iterable<string>, options: FieldOptions<string> = {}): Field<string> {
  const known = new Set(choices)
  if (options.default !== undefined && !known.has(options.default)) {
    throw new Error(`choice(): the default "${options.default}" is not among the choices`)
  }
  return defineField(options, {
    type: 'choice',
    choices: known,
    parse(input) {
      const value = typeof input === 'number' || typeof input === 'bigint' ? String(input) : input
      if (typeof value === 'string' && known.has(value)) return value
      throw invalid(`"${echo(input)}" is not a valid choice.`, 'invalid_choice')
    },
  })
}

function echo(input: unknown): string {
  const text = typeof input === 'string' ? input : formatJson(input)
  return text.length > longestEcho ? `${text.slice(0, longestEcho)}…` : text
}
