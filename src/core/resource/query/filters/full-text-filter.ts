// A filter by words: `fullText(['title', 'summary'])`. A migration creates its index.

import { nameFullTextIndex } from '../../../database/full-text.ts'
import { columnReference } from '../../../fields/column-reference.ts'
import type { Field, Fields, ParseContext } from '../../../fields/field.ts'
import { combineVisible } from '../../../fields/field-visibility.ts'
import { isText } from '../../../fields/kinds/kind.ts'
import { text } from '../../../fields/kinds/text.ts'
import { readValue } from '../../../fields/read-fields.ts'
import { storageColumn } from '../../../fields/storage.ts'
import type { FullTextFilter } from '../../declare/filters.ts'
import { findField } from '../queried-value.ts'
import { noDependence } from '../request-dependence.ts'
import type { Filter } from './filter.ts'
import { takeOne } from './read-values.ts'

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
const fullTextInput = text({ max: 500, blank: true })

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

/** Creates the filter of a list from its declaration. Throws if it names a field without a text. */
export function createFullTextFilter(fields: Fields, name: string, { fullText, index }: FullTextFilter): Filter {
  if (!Array.isArray(fullText))
    throw new Error(`fullText(): the fields must be a list: write [${JSON.stringify(fullText)}]`)
  if (fullText.length === 0) throw new Error('fullText(): name at least one field')
  const texts = fullText.map(field => findTextColumn(fields, field))
  const columns = texts.map(({ column }) => column)
  const findFullTextIndex = (table: string, key: string) =>
    nameFullTextIndex({ table, columns, key, ...(index !== undefined && { name: index }) })
  return {
    parameter: name,
    lookup: undefined,
    path: texts.map(({ field }) => field),
    input: { ...fullTextInput, ...combineVisible(texts.map(({ field }) => field)) },
    conditions: {
      '': (location, parameter) => {
        const { table, key, dialect } = location
        const named = findFullTextIndex(table, key.column)
        return dialect.fullText.matches(named, column => columnReference(location, column), parameter('value'))
      },
    },
    async read(given, { context }) {
      return { variant: '', values: { value: await readPhrases(takeOne(given), context) } }
    },
    ...noDependence,
    findFullTextIndex,
    advice: ': create its index in a migration with createFullTextIndex()',
  }
}

function findTextColumn(fields: Fields, name: string): { readonly field: Field; readonly column: string } {
  const field = findField(fields, name)
  const column = storageColumn(name, field)
  if (column === undefined || !isText(field.kind))
    throw new Error(`fullText(): field "${name}" does not store a text in a column of its own`)
  return { field, column }
}
