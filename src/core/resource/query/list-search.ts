// `?search=red "north sea"`: finds the rows in which each word and each phrase occurs in at least one of the search fields,
// which may be fields of related resources. With `searchAs: 'phrase'`, the whole text is one phrase. Upper and lower case of ASCII letters are the same on both databases.

import { sql } from 'kysely'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type Arguments, type Database, noValues, parameter } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import type { Field, FieldLocation, Fields } from '../../fields/field.ts'
import { isLonger } from '../../fields/kinds/text.ts'
import type { RequestContext } from '../../http/context.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import type { RelatedRows } from '../sql/related-rows.ts'
import { createFieldLocation } from '../sql/select.ts'
import { lowerAscii } from './filters/lower-ascii.ts'
import { maxTextLength } from './filters/read-values.ts'
import { type DeclaredValue, describeValues, findDeclaredValues } from './queried-paths.ts'
import { compileCondition, type QueriedValue } from './queried-value.ts'
import {
  createDependentValue,
  type DependentValue,
  dependsOnRequest,
  findDependence,
  isVolatileValue,
  readDependence,
} from './request-dependence.ts'

/** The search of a query. */
export interface QuerySearch {
  /** The number of words and phrases. Queries with the same number differ only in their values. */
  readonly terms: number
  /** The condition that rows meet. */
  readonly condition: RowFilter
}

/** The search of a resource's lists, bound to its API. */
export interface ListSearch {
  /** The fields that it searches, by their paths on the wire. */
  readonly fields: Fields
  /** The fields that it reveals. */
  readonly path: readonly Field[]
  /**
   * Reads the search of a query; undefined if it looks for nothing. Throws ValidationError for a term that is too long, and in
   * a strict list without a search.
   */
  read(query: URLSearchParams): QuerySearch | undefined
  /** Reads the values of the request that the condition uses, if the query, without its `?`, contains a search. */
  readRequestValues(text: string, context: RequestContext): MaybePromise<Arguments>
  /** The search of a caller who sees only these fields. */
  narrow(isShown: (field: Field) => boolean): ListSearch
  /** Compiles the condition of one word; undefined if the resource has no search. */
  compile(): Sql | undefined
}

/** The most words and phrases of a search; the others are ignored. */
export const maxSearchTerms = 8

interface SearchOptions {
  readonly database: Database
  /** The row filters of the related resources. */
  readonly related: RelatedRows
  readonly clock: () => Date
  /** The name of the parameter. */
  readonly parameter: string
  /** True: a search in a list that has none is rejected. */
  readonly strict: boolean
}

/**
 * Finds the values that a search compares, except those that lead through relations which are not resolved yet. Throws for the
 * first mistake.
 */
export function findSearchedValues(fields: Fields, paths: readonly string[] = []): readonly DeclaredValue[] {
  const values = findDeclaredValues(fields, 'searchFields', paths)
  const file = values.find(({ field }) => field.file !== undefined)
  if (file !== undefined)
    throw new Error(
      `searchFields: field "${file.declaredPath}" is a file, whose column contains where it is stored: remove it`,
    )
  return values
}

/** Binds the search of a resource. Throws for wrong declarations. */
export const bindSearch = (
  resource: Resource,
  { database, related, clock, parameter, strict }: SearchOptions,
): ListSearch =>
  createListSearch(findSearchedValues(resource.fields, resource.searchFields), {
    related,
    parameter,
    strict,
    parseTerms: resource.searchAs === 'phrase' ? parsePhrase : parseTerms,
    createDependent: value =>
      createDependentValue(findDependence(value), `resource "${resource.name}": searchFields`, clock),
    location: { ...createFieldLocation(database, resource, related), name: '' },
  })

interface SearchParts extends Pick<SearchOptions, 'related' | 'parameter' | 'strict'> {
  /** Reads the words and phrases of a search. */
  readonly parseTerms: (text: string | null) => readonly string[]
  readonly createDependent: (value: DeclaredValue) => DependentValue
  readonly location: FieldLocation
}

function createListSearch(values: readonly DeclaredValue[], parts: SearchParts): ListSearch {
  const { related, location, parameter: name, strict } = parts
  const dependents = values.map(parts.createDependent).filter(dependsOnRequest)
  const compile = (term: Sql) =>
    sql`(${sql.join(
      values.map(value => compileMatch(value, location, term)),
      sql` or `,
    )})`
  const readTerms = (query: URLSearchParams) => (values.length === 0 ? [] : parts.parseTerms(query.get(name)))
  return {
    fields: describeValues(values),
    path: values.flatMap(({ path }) => path),
    narrow: isShown =>
      createListSearch(
        values.filter(({ path }) => path.every(isShown)),
        parts,
      ),
    read(query) {
      if (strict && values.length === 0 && query.get(name))
        throw new ValidationError({ [name]: [frameworkMessages('unknown_parameter')] })
      const terms = readTerms(query)
      if (terms.some(term => term.includes('\0')))
        throw new ValidationError({ [name]: [frameworkMessages('null_characters_not_allowed')] })
      if (terms.some(term => isLonger(term, maxTextLength)))
        throw new ValidationError({ [name]: [frameworkMessages('max_length', { max: maxTextLength })] })
      if (terms.length === 0) return undefined
      return {
        terms: terms.length,
        condition: {
          ...(isVolatileValue(dependents, related) && { volatile: true }),
          where: ({ value }) =>
            sql.join(
              terms.map((_, index) => compile(value(`term${index}`))),
              sql` and `,
            ),
          values: () => Object.fromEntries(terms.map((term, index) => [`term${index}`, formatPattern(term)])),
        },
      }
    },
    readRequestValues: (text, context) =>
      dependents.length > 0 && readTerms(new URLSearchParams(text)).length > 0
        ? readDependence(dependents, related, context)
        : noValues,
    compile: () => (values.length === 0 ? undefined : compile(parameter('term'))),
  }
}

// A phrase is enclosed in quotation marks. One that is not closed is an ordinary character.
function parseTerms(text: string | null): readonly string[] {
  const terms: string[] = []
  for (const [term, phrase] of (text ?? '').matchAll(/"([^"]*)"|\S+/g)) {
    if (terms.length === maxSearchTerms) break
    const found = phrase ?? term
    if (found.trim() !== '') terms.push(found)
  }
  return terms
}

// The whole text is one phrase, in which a quotation mark is an ordinary character.
function parsePhrase(text: string | null): readonly string[] {
  const phrase = text?.trim() ?? ''
  return phrase === '' ? [] : [phrase]
}

const formatPattern = (term: string): string => `%${lowerAscii(term).replace(/[\\%_]/g, '\\$&')}%`

// In SQLite, `contains` would take up to twice the time of `isLike`.
const compileMatch = (found: QueriedValue, location: FieldLocation, term: Sql): Sql =>
  compileCondition(found, location, value => location.dialect.isLike(location.dialect.lowerText(value), term))
