import type { Field } from './field.ts'
import { type TextOptions, text } from './text.ts'

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const address = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'u')

/** An e-mail address: a dot-atom, and a domain of at least two labels (RFC 5321 §4.1.2). */
export function email(options: Omit<TextOptions, 'pattern'> = {}): Field<string> {
  const pattern = { test: address, message: 'Enter a valid email address.' }
  return Object.freeze({ ...text({ ...options, pattern }), type: 'email' as const })
}
