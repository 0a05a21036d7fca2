import { formatJson } from '../../base/exact-json.ts'
import { invalid, shorten } from '../../errors/invalid.ts'
import {
  type ChoiceOf,
  type Choices,
  type DeclaredChoices,
  describeChoices,
  findChoice,
  readChoices,
} from '../choices/choices.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { equalityLookups, type FieldKind } from './kind.ts'

const maxEchoLength = 200

/**
 * One of a fixed set of strings or integers, stored unchanged. `choices` are the values, pairs of a value and its label,
 * or the labels by value; OPTIONS and pages show the labels. They can be any iterable.
 *
 * @example
 * const fields = {
 *   size: choice(['S', 'M', 'L']),
 *   status: choice({ open: 'Open', paid: 'Paid' }, { default: 'open' }),
 *   priority: choice([[1, 'Low'], [2, 'High']], { default: 1 }),
 * }
 */
export function choice<
  const Declared extends DeclaredChoices,
  const Options extends FieldOptions<ChoiceOf<Declared>> = FieldOptions<ChoiceOf<Declared>>,
>(
  choices: Declared,
  options: KnownOptions<Options, FieldOptions<ChoiceOf<Declared>>> = {} as never,
): FieldOf<ChoiceOf<Declared>, Options> {
  const allowed = readChoices(choices, 'choice()')
  const isStatic = options.default !== undefined && typeof options.default !== 'function'
  if (isStatic && !allowed.has(options.default as string | number)) {
    throw new Error(`choice(): the default ${JSON.stringify(options.default)} is not among the choices`)
  }
  return defineField<ChoiceOf<Declared>>(options, {
    kind: findChoiceKind(allowed),
    choices: allowed,
    parse(input) {
      const value = isScalar(input) ? findChoice(allowed, String(input)) : undefined
      if (value !== undefined) return value as ChoiceOf<Declared>
      throw invalid('invalid_choice', { value: formatInput(input) })
    },
    describeTaken: () => describeChoices(allowed),
  })
}

const textChoiceKind = Object.freeze<FieldKind>({
  name: 'choice',
  schema: { type: 'string' },
  columns: ['text'],
  lookups: equalityLookups,
  identifier: { type: 'string', isUrlSafe: false },
})

const numberChoiceKind = Object.freeze<FieldKind>({
  ...textChoiceKind,
  schema: { type: 'integer' },
  columns: ['integer', 'decimal'],
  input: 'number',
})

/** The kind of a choice between texts or between integers. */
export const findChoiceKind = (choices: Choices): FieldKind =>
  typeof choices.keys().next().value === 'number' ? numberChoiceKind : textChoiceKind

const isScalar = (input: unknown): input is string | number | bigint =>
  typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint'

const formatInput = (input: unknown): string =>
  shorten(typeof input === 'string' ? input : formatJson(input), maxEchoLength)
