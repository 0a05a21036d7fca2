// The search, filters and ordering of a list: `?search=…`, `?shelf=read`, `?ordering=-title,pages`. Parameters that the
// resource does not declare are ignored. Rejects with ValidationError, keyed by field, if a field rejects its value or
// if a filter appears twice.

import { sql } from 'kysely'
import type { Arguments, SqlValue } from '../database/database.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import { ValidationError } from '../errors/exceptions.ts'
import type { Field, ParseContext, Relation } from '../fields/field.ts'
import { invalid } from '../fields/invalid.ts'
import { readValue } from '../fields/read-fields.ts'
import { selectIdentifier } from '../fields/related-forms.ts'
import { createVisibleKey } from '../fields/visible.ts'
import { nameOnWire } from '../fields/wire-names.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { replaceMessages } from '../messages/field-messages.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import type { RelatedRows } from './related-rows.ts'
import type { Resource } from './resource.ts'
import { comparedColumn, toStoredValue } from './storage.ts'

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
  database: { dialect },
}: Pick<BoundResource, 'resource' | 'related' | 'database'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const { searchFields = [], filters = [], orderingFields = [] } = resource
  const toWireName = (name: string) => nameOnWire(name, resource.fields[name]!)
  const orderingNames = new Map(orderingFields.map(name => [toWireName(name), name]))
  const parameters = [
    ...(searchFields.length > 0 ? ['search'] : []),
    ...filters.map(toWireName),
    ...(orderingFields.length > 0 ? ['ordering'] : []),
  ]
  const parseListQuery = async (query: URLSearchParams, context: ParseContext): Promise<ListQuery> => {
    const terms = searchFields.length === 0 ? [] : parseTerms(query.get('search'))
    const filterNames = filters.filter(name => readParameterValues(query, toWireName(name)).length > 0)
    const ordering = orderingFields.length === 0 ? [] : parseOrdering(query.get('ordering'), orderingNames)
    if (terms.length + filterNames.length + ordering.length === 0) return emptyQuery
    const values = await readFilters(resource, filterNames, query, context)
    const conditions = [
      ...terms.map((_, index) => compileSearchCondition(resource, index, related)),
      ...filterNames.map(name => compileFilterCondition(resource, name, related, dialect)),
    ]
    const filterValues: Arguments = {
      ...Object.fromEntries(terms.map((term, index) => [`term${index}`, formatPattern(term)])),
      ...values,
    }
    return {
      shape: JSON.stringify([terms.length, filterNames, ordering]),
      filter:
        conditions.length === 0
          ? undefined
          : {
              where: row =>
                sql.join(
                  conditions.map(compileCondition => compileCondition(row)),
                  sql` and `,
                ),
              values: () => filterValues,
            },
      ordering: ordering.length === 0 ? undefined : ordering,
    }
  }
  return (query, context) => (parameters.some(name => query.has(name)) ? parseListQuery(query, context) : emptyQuery)
}

type Condition = (row: Parameters<RowFilter['where']>[0]) => Sql

/** The words of a search. A row matches if each word occurs in one of the search fields. */
function parseTerms(text: string | null): readonly string[] {
  const words = (text ?? '').split(/\s+/).filter(word => word !== '' && !word.includes('\0') && word.isWellFormed())
  return words.slice(0, maxSearchTerms)
}

// The search ignores the case of ASCII letters on both databases.
const formatPattern = (term: string): string => `%${term.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

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

function compileFilterCondition({ fields }: Resource, name: string, related: Visible, dialect: Dialect): Condition {
  const field = fields[name]!
  return ({ column, value }) => {
    const compared = compileComparedValue(name, field, column, related)
    const expected = field.relation === undefined ? value(`is ${name}`) : createKey(field.relation, value(`is ${name}`))
    return field.compileFilter?.(compared, expected, dialect) ?? sql`${compared} = ${expected}`
  }
}

// The key of the object that a value of the relation's identifier names.
const createKey = ({ target: { table, key }, identifier }: Relation, value: Sql): Sql =>
  identifier.column === key.column
    ? value
    : sql`(select ${sql.id('named row', key.column)} from ${sql.table(table)} as ${sql.id('named row')} where ${sql.id('named row', identifier.column)} = ${value})`

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

// Empty values are ignored, because a form sends an empty string for an unused filter.
const readParameterValues = (query: URLSearchParams, name: string): readonly string[] =>
  query.getAll(name).filter(value => value !== '')

async function readFilters(
  { fields }: Resource,
  filterNames: readonly string[],
  query: URLSearchParams,
  context: ParseContext,
): Promise<Record<string, SqlValue>> {
  const values: Record<string, SqlValue> = {}
  for (const name of filterNames) {
    const field = fields[name]!
    const [input, ...others] = readParameterValues(query, nameOnWire(name, field))
    if (others.length > 0) throw new ValidationError({ [nameOnWire(name, field)]: invalid('invalid.filter').errors })
    try {
      const value = await readValue(field, input, context)
      values[`is ${name}`] = toStoredValue(field, value)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      throw new ValidationError({ [nameOnWire(name, field)]: replaceMessages(error.errors, field.messages) })
    }
  }
  return values
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
