// The errors of fields.

import type { MessageArguments } from '../messages/catalogue.ts'
import { type FrameworkTexts, frameworkMessages, type MessageKey } from '../messages/english.ts'
import { ValidationError } from './exceptions.ts'

/**
 * Creates the error with a message of the framework; the compiler checks the key and its values.
 *
 * @example
 * throw invalid('max_length', { max: 20 })
 */
export const invalid = <Key extends MessageKey>(
  key: Key,
  ...values: MessageArguments<FrameworkTexts[Key]>
): ValidationError => new ValidationError(frameworkMessages(key, ...values))

/** Returns the type name of a JSON value as in the error messages of DRF. */
export function formatTypeName(value: unknown): string {
  if (value === null) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return { string: 'str', boolean: 'bool', object: 'dict' }[typeof value as string] ?? typeof value
}

/** The beginning of a text in an error message; `maxLength` is in UTF-16 units. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
