// Parses the body of a new snippet: every field is validated, and each invalid field gets its error.

import type { NewSnippet } from './store.ts'

type Errors = Readonly<Record<string, readonly string[]>>

/** The accepted values of `language` and `style`. */
export interface Choices {
  readonly languages: ReadonlyMap<string, unknown>
  readonly styles: ReadonlyMap<string, unknown>
}

const truths = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falsehoods = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])
const longestCode = 1024 * 1024

/** The snippet, or its errors by field. */
export function readSnippet(
  body: unknown,
  { languages, styles }: Choices,
): { readonly snippet: NewSnippet } | { readonly errors: Errors } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { errors: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(body)}.`] } }
  }
  const given = body as Readonly<Record<string, unknown>>
  const errors: Record<string, readonly string[]> = {}
  const field = <Value>(name: keyof NewSnippet, read: (value: unknown) => Value, absent: Value): Value => {
    if (!Object.hasOwn(given, name)) return absent
    try {
      if (given[name] === null) throw new Fault('This field may not be null.')
      return read(given[name])
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      errors[name] = [error.message]
      return absent
    }
  }
  const snippet = {
    title: field('title', value => readText(value, 100, true).trim(), ''),
    code: field('code', value => readText(value, longestCode, false), ''),
    linenos: field('linenos', readBoolean, false),
    language: field('language', value => readChoice(value, languages), 'python'),
    style: field('style', value => readChoice(value, styles), 'friendly'),
  }
  if (!Object.hasOwn(given, 'code')) errors.code = ['This field is required.']
  return Object.keys(errors).length > 0 ? { errors } : { snippet }
}

class Fault extends Error {}

function readText(value: unknown, longest: number, isTrimmed: boolean): string {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) throw new Fault('Not a valid string.')
  const text = isTrimmed ? String(value).trim() : String(value)
  if (text === '' && !isTrimmed) throw new Fault('This field may not be blank.')
  if (text.includes('\0')) throw new Fault('Null characters are not allowed.')
  if (!text.isWellFormed()) throw new Fault('Not a valid string.')
  if (text.length > longest && [...text].length > longest)
    throw new Fault(`Ensure this field has no more than ${longest} characters.`)
  return text
}

function readBoolean(value: unknown): boolean {
  const given = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (truths.has(given)) return true
  if (falsehoods.has(given)) return false
  throw new Fault('Must be a valid boolean.')
}

function readChoice(value: unknown, choices: ReadonlyMap<string, unknown>): string {
  if (typeof value === 'string' && choices.has(value)) return value
  throw new Fault(`"${typeof value === 'string' ? value : JSON.stringify(value)}" is not a valid choice.`)
}

const typeName = (value: unknown): string =>
  value === null
    ? 'NoneType'
    : Array.isArray(value)
      ? 'list'
      : ({ string: 'str', number: 'int' }[typeof value as 'string' | 'number'] ?? 'bool')
