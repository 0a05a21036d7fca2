import { ValidationError } from '../errors/exceptions.ts'
import type { MessageText } from '../messages/english.ts'
import { defineField, type FieldOf, type FieldOptions } from './define-field.ts'
import type { KnownOptions } from './field-types.ts'
import { invalid } from './invalid.ts'
import { type Normalizer, normalizeValue } from './normalizer.ts'

export interface TextOptions extends Omit<FieldOptions<string>, 'normalize'> {
  /** Lengths are in characters (Unicode code points). */
  readonly min?: number
  readonly max?: number
  /** True: the text may be empty. Default: false. */
  readonly blank?: boolean
  /** True: removes leading and trailing white space. Default: true. */
  readonly trim?: boolean
  /** False: rejects a text of only white space, if `trim` is false. Default: true. */
  readonly whitespaceOnly?: boolean
  readonly multiline?: boolean
  /**
   * The Unicode normalization form in which the text is stored, or a function that converts the trimmed text, such as to
   * lower case. The other checks apply to its result. Default: not normalized.
   */
  readonly normalize?: 'NFC' | 'NFKC' | Normalizer<string>
  /** A regular expression that the text must match, and the error message. */
  readonly pattern?: { readonly test: RegExp; readonly message: MessageText }
  /** Makes the value unique among all objects; the text is the error message for a duplicate. */
  readonly unique?: MessageText
}

/** Text. Numbers are accepted as their digits. NUL and lone surrogates are rejected, because databases cannot store them. */
export function text<Options extends TextOptions = TextOptions>(
  options: KnownOptions<Options, TextOptions> = {} as never,
): FieldOf<string, Options> {
  const { min, max, blank = false, multiline = false, unique, normalize: _, ...fieldOptions } = options
  return defineField<string>(fieldOptions, {
    type: 'string',
    blank,
    multiline,
    bounds: { ...(max !== undefined && { max_length: max }), ...(min !== undefined && { min_length: min }) },
    parse: input => parseText(input, options),
    ...(unique !== undefined && { unique }),
  })
}

/** Parses a text in a body; throws ValidationError for the first check that fails. */
export function parseText(input: unknown, options: TextOptions): string {
  const { trim = true, blank = false, whitespaceOnly = true, min, max, normalize, pattern } = options
  if (!isTextual(input)) throw invalid('invalid.string')
  const trimmed = trim ? String(input).trim() : String(input)
  const value = normalizeText(trimmed, normalize)
  if (value === '' || (!whitespaceOnly && !/\S/.test(value))) {
    if (blank) return value
    throw invalid('blank')
  }
  if (value.includes('\0')) throw invalid('null_characters_not_allowed')
  if (!value.isWellFormed()) throw invalid('invalid.string')
  if (max !== undefined && isLonger(value, max)) {
    throw invalid('max_length', { max })
  }
  if (min !== undefined && !isLonger(value, min - 1)) {
    throw invalid('min_length', { min })
  }
  if (pattern !== undefined && !pattern.test.test(value)) throw new ValidationError(pattern.message)
  return value
}

function normalizeText(value: string, normalize: TextOptions['normalize']): string {
  if (normalize === undefined) return value
  return typeof normalize === 'string' ? value.normalize(normalize) : normalizeValue(normalize, value)
}

// Rejects inexact numbers; integers beyond the safe range are passed as `bigint` and are rejected too.
function isTextual(input: unknown): input is string | number {
  if (typeof input === 'number') return Number.isInteger(input) ? Number.isSafeInteger(input) : Number.isFinite(input)
  return typeof input === 'string'
}

/** Whether a text has more than this number of characters. */
export function isLonger(value: string, characters: number): boolean {
  // A code point has one or two code units, so most texts need no count.
  if (value.length <= characters) return false
  return value.length > 2 * characters || [...value].length > characters
}
