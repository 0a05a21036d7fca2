import { invalid } from '../../errors/invalid.ts'
import { isPathSegment, type Key, type KeyOptions, type KeyTypes } from '../../keys/key.ts'
import { parseCanonical } from '../../keys/parse-canonical.ts'
import { describeChoices, readChoices } from '../choices/choices.ts'
import { emptyContext } from '../field.ts'
import { choice } from '../kinds/choice.ts'
import { describeTakenText, parseText, type TextOptions } from '../kinds/text.ts'

export interface TextKeyOptions<Text extends string = string> extends KeyOptions, Pick<TextOptions, 'min' | 'pattern'> {
  /** The maximum length in characters; default 255. */
  readonly max?: number
  /** The values of an enum column of PostgreSQL, or of any other column with a fixed set of keys. */
  readonly choices?: Iterable<Text>
}

/**
 * A text that the body gives when an object is created, and that never changes. The field `key()` takes it. URLs contain
 * it percent-encoded, so it may contain any character except NUL; `.` and `..` are rejected, because clients remove them
 * from paths.
 *
 * @example
 * const countries = resource('countries', {
 *   table: 'countries',
 *   key: textKey({ column: 'code', max: 2 }),
 *   fields: { code: key(), name: text({ max: 80 }) },
 * })
 */
export function textKey<const Text extends string = string>(
  options: TextKeyOptions<Text> = {},
): Key<KeyTypes<Text, Text, Text>> {
  const { column = 'id', min, max = 255, pattern, choices } = options
  const limits = { max, ...(min !== undefined && { min }), ...(pattern !== undefined && { pattern }) }
  const allowed = choices === undefined ? undefined : new Set<string>(choices)
  const read = allowed === undefined ? (input: unknown) => readText(input, limits) : createChoiceReader(allowed)
  return Object.freeze<Key<KeyTypes<Text, Text, Text>>>({
    column,
    type: 'string',
    isUrlSafe: false,
    source: 'body',
    bounds: { max_length: max, ...(min !== undefined && { min_length: min }) },
    ...(allowed !== undefined && { choices: allowed }),
    schema:
      allowed === undefined
        ? describeTakenText(limits, { type: 'string' })
        : describeChoices(readChoices(allowed, 'textKey()')),
    parse: text => parseCanonical(text, read),
    read,
  })
}

function readText(input: unknown, limits: TextOptions): string {
  const value = parseText(input, limits)
  if (!isPathSegment(value)) throw invalid('invalid.key')
  return value
}

function createChoiceReader(allowed: ReadonlySet<string>): Key['read'] {
  const field = choice(allowed)
  return input => field.parse(input, emptyContext) as string
}
