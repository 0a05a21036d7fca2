import type { JsonSchema } from '../../describe/json-schema.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import { frameworkMessages, type MessageText } from '../../messages/english.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { FieldDefinition } from '../field.ts'
import type { KnownOptions } from '../field-types.ts'
import { type Normalizer, normalizeValue } from '../normalizer.ts'
import { equalityLookups, type FieldKind, textOnlyLookups } from './kind.ts'

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
  /** `color`: a colour of sRGB as six hexadecimal digits, such as `#1f6feb`, in lower case. Forms of pages have an input of colours. */
  readonly format?: 'color'
  /** Makes the value unique among all objects; the text is the error message for a duplicate. */
  readonly unique?: MessageText
}

export const textKind = Object.freeze<FieldKind>({
  name: 'string',
  schema: { type: 'string' },
  columns: ['text'],
  lookups: [...equalityLookups, ...textOnlyLookups],
  identifier: { type: 'string', isUrlSafe: false },
  isFreeText: true,
  example: 'a',
})

const colorKind = Object.freeze<FieldKind>({
  ...textKind,
  name: 'color',
  isFreeText: false,
  input: 'color',
  shown: 'color',
  example: '#1f6feb',
})

const colorOptions: TextOptions = {
  pattern: { test: /^#[0-9A-Fa-f]{6}$/, message: frameworkMessages('invalid.color') },
  normalize: value => value.toLowerCase(),
}

/** Text. Numbers are accepted as their digits. NUL and lone surrogates are rejected, because databases cannot store them. */
export function text<const Options extends TextOptions = TextOptions>(
  given: KnownOptions<Options, TextOptions> = {} as never,
): FieldOf<string, Options> {
  const isColor = given.format === 'color'
  const replaced = isColor ? Object.keys(colorOptions).find(name => name in given) : undefined
  if (replaced !== undefined) throw new Error(`text(): a color has its own "${replaced}": remove it`)
  const options: TextOptions = isColor ? { ...given, ...colorOptions } : given
  const { min, max, blank = false, multiline = false, unique, normalize: _, ...fieldOptions } = options
  return defineField<string>(fieldOptions, {
    kind: isColor ? colorKind : textKind,
    blank,
    multiline,
    bounds: { ...(max !== undefined && { max_length: max }), ...(min !== undefined && { min_length: min }) },
    parse: input => parseText(input, options),
    ...describeText(options),
    ...(unique !== undefined && { unique }),
  })
}

/** The schemas of a text; `format`: its format in JSON Schema. */
export const describeText = (
  options: TextOptions,
  format?: string,
): Required<Pick<FieldDefinition, 'describeTaken' | 'describeShown'>> => ({
  describeTaken: () => describeTakenText(options, { type: 'string', ...(format && { format }) }),
  describeShown: () => ({ type: 'string', ...(format && { format }) }),
})

/** The schema of a text in a body. */
export function describeTakenText({ min = 0, max, pattern, ...options }: TextOptions, schema: JsonSchema): JsonSchema {
  const { blank = false, trim = true, whitespaceOnly = true } = options
  const needed = whitespaceOnly || trim ? undefined : String.raw`\S`
  const patterns = [needed, pattern && formatPattern(pattern.test)].filter(each => each !== undefined)
  const minLength = Math.max(min, 1)
  const isRestricted = minLength > 1 || pattern !== undefined || needed !== undefined || schema.format !== undefined
  const filled = {
    ...schema,
    ...((!blank || isRestricted) && { minLength }),
    ...(max !== undefined && { maxLength: max }),
    ...(patterns.length === 1 && { pattern: patterns[0] }),
    ...(patterns.length > 1 && { allOf: patterns.map(each => ({ pattern: each })) }),
  }
  if (!blank || !isRestricted) return filled
  const empty = needed === undefined ? { const: '' } : { type: 'string', pattern: String.raw`^\s*$` }
  return { anyOf: [filled, empty] }
}

/**
 * The regular expression for JSON Schema, which has no flags and matches code points; undefined if it would match other
 * texts there.
 */
function formatPattern({ source, flags }: RegExp): string | undefined {
  if (/[imsvy]/.test(flags)) return undefined
  // Without the flag, these match the halves of a character outside of the Basic Multilingual Plane.
  if (!flags.includes('u') && /\[\^|\\[SWDpPu]|\./.test(source.replaceAll('\\.', ''))) return undefined
  try {
    return new RegExp(source, 'u').source
  } catch {
    return undefined
  }
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
