import { formatJson } from '../exact-json.ts'
import { defineField, type FieldOf, type FieldOptions, invalid } from './field.ts'
import type { KnownOptions } from './field-types.ts'

const maxEchoLength = 200

/** One of a fixed set of strings, stored unchanged. `choices` can be any iterable of strings. */
export function choice<const Choice extends string, Options extends FieldOptions<Choice> = FieldOptions<Choice>>(
  choices: Iterable<Choice>,
  options: KnownOptions<Options, FieldOptions<Choice>> = {} as never,
): FieldOf<Choice, Options> {
  const allowed = new Set<string>(choices)
  const isChoice = (value: unknown): value is Choice => typeof value === 'string' && allowed.has(value)
  if (options.default !== undefined && !allowed.has(options.default)) {
    throw new Error(`choice(): the default "${options.default}" is not among the choices`)
  }
  return defineField<Choice>(options, {
    type: 'choice',
    choices: allowed,
    parse(input) {
      const value = typeof input === 'number' || typeof input === 'bigint' ? String(input) : input
      if (isChoice(value)) return value
      throw invalid('invalid_choice', { value: formatInput(input) })
    },
  })
}

function formatInput(input: unknown): string {
  const text = typeof input === 'string' ? input : formatJson(input)
  return text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text
}
