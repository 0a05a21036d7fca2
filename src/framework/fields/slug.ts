import type { Field } from './field.ts'
import { type TextOptions, text } from './text.ts'

const pattern = {
  test: /^[\w-]+$/,
  message: 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
}

/** A short name for URLs: ASCII letters, digits, `_` and `-`. */
export function slug(options: Omit<TextOptions, 'pattern'> = {}): Field<string> {
  return Object.freeze({ ...text({ ...options, pattern }), type: 'slug' as const })
}
