import { formatJson } from '../exact-json.ts'
import { defineField, type Field, type FieldOptions, invalid } from './field.ts'

const maxEchoLength = 200

/** One of a fixed set of strings, stored unchanged. `choices` can be any iterable of strings. */
export function choice(choices: Iterable<string>, options: FieldOptions<string> = {}): Field<string> {
  const allowed = new Set(choices)
  if (options.default !== undefined && !allowed.has(options.default)) {
    throw new Error(`choice(): the default "${options.default}" is not among the choices`)
  }
  return defineField(options, {
    type: 'choice',
    choices: allowed,
    parse(input) {
      const value = typeof input === 'number' || typeof input === 'bigint' ? String(input) : input
      if (typeof value === 'string' && allowed.has(value)) return value
      throw invalid(`"${formatInput(input)}" is not a valid choice.`, 'invalid_choice')
    },
  })
}

function formatInput(input: unknown): string {
  const text = typeof input === 'string' ? input : formatJson(input)
  return text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text
}
