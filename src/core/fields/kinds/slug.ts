import { frameworkMessages } from '../../messages/english.ts'
import type { FieldOf } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { type TextOptions, text } from './text.ts'

const pattern = {
  test: /^[A-Za-z0-9_-]+$/,
  message: frameworkMessages('invalid.slug'),
}

/** A short name for URLs: ASCII letters, digits, `_` and `-`. */
export function slug<Options extends Omit<TextOptions, 'pattern'> = Omit<TextOptions, 'pattern'>>(
  options: KnownOptions<Options, Omit<TextOptions, 'pattern'>> = {} as never,
): FieldOf<string, Options> {
  return Object.freeze({ ...text({ ...options, pattern }), type: 'slug' as const })
}
