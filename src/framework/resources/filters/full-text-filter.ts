// A filter by words: `fullText(['title', 'summary'])`. A migration creates its index.

import type { ParseContext } from '../../fields/field.ts'
import { readValue } from '../../fields/read-fields.ts'
import { text } from '../../fields/text.ts'

/** A filter by words in some fields. */
export interface FullTextFilter<out Name extends string = string> {
  /** The fields with the texts. */
  readonly fullText: readonly Name[]
  /** The name of the index; undefined: the table's name and `_full_text`. */
  readonly index: string | undefined
}

/** Options of a filter by words. */
export interface FullTextOptions {
  /** The name of the index; default: the table's name and `_full_text`. */
  readonly index?: string
}

/**
 * A filter that finds the rows which contain all words of its value, each in one of the fields, in any order. Words in
 * quotation marks stand next to each other. A migration creates the index ({@link createFullTextIndex}).
 *
 * @example
 * const filters = { words: fullText(['title', 'summary']) }
 */
export const fullText = <const Name extends string>(
  fields: readonly Name[],
  { index }: FullTextOptions = {},
): FullTextFilter<Name> => Object.freeze({ fullText: fields, index })

/** Describes the value. PostgreSQL refuses words of more than 2,046 bytes. */
export const fullTextInput = text({ max: 500, blank: true })

/** Reads the value of a query, and formats its phrases for the databases: `"green tea" "leaf"`. */
export async function readPhrases(value: string, context: ParseContext): Promise<string> {
  const given = (await readValue(fullTextInput, value, context)) as string
  const phrases = [...given.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([part, quoted]) => findWords(quoted ?? part))
  const found = phrases.filter(words => words.length > 0).map(words => `"${words.join(' ')}"`)
  return found.length === 0 ? noPhrase : found.join(' ')
}

/** Finds no row. */
const noPhrase = '""'

// Without all other characters, no text has a syntax that a database could refuse.
const findWords = (part: string): readonly string[] => part.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []
