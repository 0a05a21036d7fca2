// Parses the body of a new snippet.

import { Fault, type Read, readObject, readText } from './fields.ts'
import type { NewSnippet } from './store.ts'

/** The accepted values of `language` and `style`. */
export interface Choices {
  readonly languages: ReadonlyMap<string, unknown>
  readonly styles: ReadonlyMap<string, unknown>
}

const truths = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falsehoods = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])
const longestCode = 1024 * 1024

/** The snippet, or its errors by field. */
export const readSnippet = (body: unknown, { languages, styles }: Choices): Read<NewSnippet> =>
  readObject(body, field => ({
    title: field('title', value => readText(value, 100, { blank: true }), ''),
    code: field('code', value => readText(value, longestCode, { trim: false })),
    linenos: field('linenos', readBoolean, false),
    language: field('language', value => readChoice(value, languages), 'python'),
    style: field('style', value => readChoice(value, styles), 'friendly'),
  }))

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
