// What callers may ask of a list beside its page: `?search=…` in some of its texts, `?shelf=read` for the values of some
// fields, `?ordering=-title,pages` by some of them. What a resource does not name is ignored. Rejects with
// ValidationError, keyed by field, for a value that its field does not take, and for a filter that is given twice.

import { sql } from 'kysely'
import type { Arguments, SqlValue } from '../database/database.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { type Field, invalid, type ParseContext } from '../fields/field.ts'
import { readValue } from '../fields/read-fields.ts'
import { visibleKey } from '../fields/related.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import type { RelatedRows } from './related-rows.ts'
import type { Resource } from './resource.ts'
import { comparedColumn, storedValue } from './storage.ts'

/** What one request asks for. Requests of one `shape` differ in their values alone. */
export interface ListQuery {
  readonly shape: string
  /** The rows; undefined for all. */
  readonly filter: RowFilter | undefined
  /** Names to order by; undefined for the resource's own. */
  readonly ordering: readonly string[] | undefined
}

const none: ListQuery = Object.freeze({ shape: '', filter: undefined, ordering: undefined })
/** Words of a search that are looked for; further ones are left out. */
export const mostTerms = 8

/** Reads what a query asks for. */
export function createListQueryParser({
  resource,
  related,
  database: { dialect },
}: Pick<BoundResource, 'resource' | 'related' | 'database'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const { searchFields = [], filters = [], orderingFields = [] } = resource
  const names = [
    ...(searchFields.length > 0 ? ['search'] : []),
    ...filters,
    ...(orderingFields.length > 0 ? ['ordering'] : []),
  ]
  const narrow = async (query: URLSearchParams, context: ParseContext): Promise<ListQuery> => {
    const terms = searchFields.length === 0 ? [] : termsOf(query.get('search'))
    const asked = filters.filter(name => givenValues(query, name).length > 0)
    const ordering = orderingFields.length === 0 ? [] : orderingOf(query.get('ordering'), orderingFields)
    if (terms.length + asked.length + ordering.length === 0) return none
    const values = await readFilters(resource, asked, query, context)
    const conditions = [
      ...terms.map((_, index) => containsTerm(resource, index, related)),
      ...asked.map(name => isValue(resource, name, related, dialect)),
    ]
    const given: Arguments = {
      ...Object.fromEntries(terms.map((term, index) => [`term${index}`, patternOf(term)])),
      ...values,
    }
    return {
      shape: JSON.stringify([terms.length, asked, ordering]),
      filter:
        conditions.length === 0
          ? undefined
          : {
              where: row =>
                sql.join(
                  conditions.map(of => of(row)),
                  sql` and `,
                ),
              values: () => given,
            },
      ordering: ordering.length === 0 ? undefined : ordering,
    }
  }
  return (query, context) => (names.some(name => query.has(name)) ? narrow(query, context) : none)
}

type Condition = (row: Parameters<RowFilter['where']>[0]) => Sql

/** The words of a search; each has to stand in one of the texts. */
function termsOf(text: string | null): readonly string[] {
  const words = (text ?? '').split(/\s+/).filter(word => word !== '' && !word.includes('\0') && word.isWellFormed())
  return words.slice(0, mostTerms)
}

// The ASCII letters of a word may be large or small, on both databases.
const patternOf = (term: string): string => `%${term.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

type Visible = Pick<RelatedRows, 'visible'>

function containsTerm({ fields, searchFields = [] }: Resource, index: number, related: Visible): Condition {
  return ({ column, value }) => {
    const found = searchFields.map(
      name =>
        sql`lower(${asText(fields[name]!, compared(name, fields[name]!, column, related))}) like ${value(`term${index}`)} escape '\\'`,
    )
    return sql`(${sql.join(found, sql` or `)})`
  }
}

function isValue({ fields }: Resource, name: string, related: Visible, dialect: Dialect): Condition {
  const field = fields[name]!
  return ({ column, value }) => {
    const [own, asked] = [compared(name, field, column, related), value(`is ${name}`)]
    return field.isValue?.(own, asked, dialect) ?? sql`${own} = ${asked}`
  }
}

const isText = ({ type, relation }: Field): boolean =>
  relation === undefined && ['string', 'email', 'slug', 'url', 'choice'].includes(type)

const asText = (field: Field, value: Sql): Sql => (isText(field) ? value : sql`cast(${value} as text)`)

// A related object that does not exist for the caller counts as null.
function compared(name: string, field: Field, column: (name: string) => Sql, related: Visible): Sql {
  const own = column(comparedColumn(name, field)!)
  return field.relation === undefined ? own : visibleKey(related, field.relation, own)
}

// A form sends an empty text for a filter that is not used.
const givenValues = (query: URLSearchParams, name: string): readonly string[] =>
  query.getAll(name).filter(value => value !== '')

async function readFilters(
  { fields }: Resource,
  asked: readonly string[],
  query: URLSearchParams,
  context: ParseContext,
): Promise<Record<string, SqlValue>> {
  const values: Record<string, SqlValue> = {}
  for (const name of asked) {
    const field = fields[name]!
    try {
      const [given, ...others] = givenValues(query, name)
      if (others.length > 0) throw invalid('Give this parameter once: the filter takes one value.')
      const value = await readValue(field, given, context)
      values[`is ${name}`] = storedValue(field, value)
    } catch (error) {
      throw error instanceof ValidationError ? new ValidationError({ [name]: error.errors }) : error
    }
  }
  return values
}

// As in Django REST framework, a name that cannot be ordered by is left out.
function orderingOf(text: string | null, orderings: readonly string[]): readonly string[] {
  const names = (text ?? '').split(',').map(name => name.trim())
  return [...new Set(names)].filter(name => orderings.includes(name.replace(/^-/, '')))
}
