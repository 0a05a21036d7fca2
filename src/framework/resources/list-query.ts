// The search, filters and ordering of a list: `?search=…`, `?pages__gte=90`, `?ordering=-title,pages`. Parameters that the
// resource does not declare are ignored, or rejected with ValidationError if the list is strict. Rejects with
// ValidationError, keyed by parameter, if a filter refuses its value.

import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import type { Field, ParseContext } from '../fields/field.ts'
import { selectIdentifier } from '../fields/related-forms.ts'
import { createVisibleKey } from '../fields/visible.ts'
import { nameOnWire } from '../fields/wire-names.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { combineFilters, type RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import { lowerAscii } from './filters/ascii.ts'
import { createParameterCheck } from './filters/unknown-parameters.ts'
import type { RelatedRows } from './related-rows.ts'
import type { Resource } from './resource.ts'
import { comparedColumn } from './storage.ts'

/** The parsed query of a list. Queries with the same `shape` differ only in their values. */
export interface ListQuery {
  readonly shape: string
  /** Undefined for all rows. */
  readonly filter: RowFilter | undefined
  /** Fields to order by; undefined for the resource's own ordering. */
  readonly ordering: readonly string[] | undefined
}

const emptyQuery: ListQuery = Object.freeze({ shape: '', filter: undefined, ordering: undefined })
/** The maximum number of search terms; further terms are ignored. */
export const maxSearchTerms = 8

export function createListQueryParser({
  resource,
  related,
  filters,
  strict,
  reservedParameters,
}: Pick<BoundResource, 'resource' | 'related' | 'filters' | 'strict' | 'reservedParameters'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const { searchFields = [], orderingFields = [] } = resource
  const orderingNames = new Map(orderingFields.map(name => [nameOnWire(name, resource.fields[name]!), name]))
  const parameters = [
    ...(searchFields.length > 0 ? ['search'] : []),
    ...(orderingFields.length > 0 ? ['ordering'] : []),
  ]
  const checkParameters = strict ? createParameterCheck(filters, reservedParameters) : () => undefined
  const parseListQuery = async (query: URLSearchParams, context: ParseContext): Promise<ListQuery> => {
    const terms = searchFields.length === 0 ? [] : parseTerms(query.get('search'))
    const ordering = orderingFields.length === 0 ? [] : parseOrdering(query.get('ordering'), orderingNames)
    const { shape, condition } = await filters.read(query, context)
    if (terms.length + shape.length + ordering.length === 0) return emptyQuery
    const conditions = [
      ...(terms.length === 0 ? [] : [createSearch(resource, terms, related)]),
      ...(condition === undefined ? [] : [condition]),
    ]
    return {
      shape: JSON.stringify([terms.length, shape, ordering]),
      filter: combineFilters(conditions),
      ordering: ordering.length === 0 ? undefined : ordering,
    }
  }
  return (query, context) => {
    checkParameters(query)
    const isUsed = (name: string) => parameters.includes(name) || filters.knows(name)
    return query.keys().some(isUsed) ? parseListQuery(query, context) : emptyQuery
  }
}

function createSearch(resource: Resource, terms: readonly string[], related: Visible): RowFilter {
  return {
    where: row =>
      sql.join(
        terms.map((_, index) => compileSearchCondition(resource, index, related)(row)),
        sql` and `,
      ),
    values: () => Object.fromEntries(terms.map((term, index) => [`term${index}`, formatPattern(term)])),
  }
}

type Condition = (row: Parameters<RowFilter['where']>[0]) => Sql

/** The words of a search. A row matches if each word occurs in one of the search fields. */
function parseTerms(text: string | null): readonly string[] {
  const words = (text ?? '').split(/\s+/).filter(word => word !== '' && !word.includes('\0') && word.isWellFormed())
  return words.slice(0, maxSearchTerms)
}

// The search ignores the case of ASCII letters on both databases.
const formatPattern = (term: string): string => `%${lowerAscii(term).replace(/[\\%_]/g, '\\$&')}%`

type Visible = Pick<RelatedRows, 'visibleCondition'>

function compileSearchCondition({ fields, searchFields = [] }: Resource, index: number, related: Visible): Condition {
  return ({ column, value }) => {
    const matches = searchFields.map(
      name =>
        sql`lower(${compileText(fields[name]!, compileSearchedValue(name, fields[name]!, column, related))}) like ${value(`term${index}`)} escape '\\'`,
    )
    return sql`(${sql.join(matches, sql` or `)})`
  }
}

const isText = ({ type, relation, choices }: Field): boolean =>
  relation === undefined &&
  (type === 'choice' ? !hasIntegers(choices) : ['string', 'email', 'slug', 'url'].includes(type))

const hasIntegers = (choices: Field['choices']): boolean =>
  [...(choices?.keys() ?? [])].some(value => typeof value === 'number')

// An enum column of PostgreSQL has no `lower`.
const compileText = (field: Field, value: Sql): Sql =>
  isText(field) && field.type !== 'choice' ? value : sql`cast(${value} as text)`

// A search for a related object compares what a body contains: a key that stays inside cannot be found out.
function compileSearchedValue(name: string, field: Field, column: (name: string) => Sql, related: Visible): Sql {
  const value = compileComparedValue(name, field, column, related)
  return field.relation === undefined
    ? value
    : selectIdentifier(field.relation.target, field.relation.identifier, value)
}

// A related object that is hidden from the caller counts as null.
function compileComparedValue(name: string, field: Field, column: (name: string) => Sql, related: Visible): Sql {
  const stored = column(comparedColumn(name, field)!)
  return field.relation === undefined ? stored : createVisibleKey(related, field.relation, stored)
}

// As in Django REST framework, unknown ordering fields are ignored.
function parseOrdering(text: string | null, names: ReadonlyMap<string, string>): readonly string[] {
  const found = (text ?? '').split(',').flatMap(part => {
    const [, sign, wireName] = /^(-?)(.*)$/s.exec(part.trim())!
    const name = names.get(wireName!)
    return name === undefined ? [] : sign + name
  })
  return [...new Set(found)]
}
