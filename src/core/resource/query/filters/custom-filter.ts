// A filter with SQL of the application: `filter(boolean(), ({ row, value, now }) => sql…)`.

import { sql } from 'kysely'
import type { AnyTables } from '../../../database/database.ts'
import type { Dialect, Sql } from '../../../database/dialect.ts'
import { checkIsField } from '../../../fields/check-is-field.ts'
import type { Field, Fields } from '../../../fields/field.ts'
import type { FieldLink, FieldTrait } from '../../../fields/field-types.ts'
import { combineVisible } from '../../../fields/field-visibility.ts'
import { isStoredAsJson } from '../../../fields/kinds/kind.ts'
import type { CallerReferences, ColumnsOf, RowReferences } from '../../../fields/sql-references.ts'
import { createSqlScope, findSqlUses } from '../../../fields/sql-scope.ts'
import { hasColumn, toStoredValue } from '../../../fields/storage.ts'
import type { Identity } from '../../../http/identity.ts'
import type { CustomFilter } from '../../declare/filters.ts'
import type { Filter } from './filter.ts'
import { readItems, readSingle } from './read-values.ts'

/** The parts of which the condition of a {@link filter} consists. */
export interface FilterScope<User extends Identity = Identity, Row = RowReferences> {
  /** The columns of the row. */
  readonly row: Row
  /** The value of the query, as a parameter; of a list, the values in parentheses: `${row.status} in ${value}`. */
  readonly value: Sql
  /** The properties of the caller, as parameters. */
  readonly caller: CallerReferences<User>
  /** The time of the request as a parameter, in the format of `dateTime()`. Makes the filter volatile. */
  readonly now: Sql
  /** The language that the request prefers, of those of the API, as a parameter; null if it prefers none. */
  readonly language: Sql
  readonly dialect: Dialect
}

/** Options of a filter with its own SQL. */
export interface FilterSqlOptions {
  /**
   * True: the condition depends on the time or on random numbers, so lists that it filters are not cached. Default: false,
   * unless the SQL uses `now`; SQL with a function of time or randomness is then an error at start.
   */
  readonly volatile?: boolean
}

/** The type of {@link filter}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineFilter<User extends Identity, Tables = AnyTables> = <
  Value,
  Shown,
  Taken,
  Trait extends FieldTrait,
  Link extends FieldLink,
>(
  field: Field<Value, Shown, Taken, Trait, Link>,
  createCondition: (scope: FilterScope<User, RowReferences<ColumnsOf<Tables>>>) => Sql,
  options?: FilterSqlOptions,
) => CustomFilter<Taken>

/**
 * A filter whose condition is SQL; null counts as false. `field` reads the value of the query. The function is called at
 * the declaration, and again when a statement is compiled; it must not depend on anything but its argument. SQL of your own
 * does not apply the row filters of other resources. Callers who do not see the field of one of the columns of `row` do not
 * have the filter.
 *
 * @example
 * const filters = {
 *   late: filter(boolean(), ({ row, value, now }) => sql`(${row.due} < ${now}) = ${value}`),
 *   mine: filter(boolean(), ({ row, value, caller }) => sql`(${row.owner_id} = ${caller.id}) = ${value}`),
 * }
 */
export const filter = defineFilter as unknown as DefineFilter<Identity>

function defineFilter(
  field: Field,
  createCondition: (scope: FilterScope) => Sql,
  { volatile = false }: FilterSqlOptions = {},
): CustomFilter {
  checkIsField(field, 'filter(): the field')
  const isList = field.kind.hasItems === true && field.join === undefined
  if (!hasColumn(field) || field.relation || (!isList && isStoredAsJson(field.kind)))
    throw new Error('filter(): give a field that only has a type, such as boolean(), integer() or text()')
  if (isList && findItemType(field) === undefined)
    throw new Error('filter(): the items of a list must be texts, choices or integers')
  const { columns, uses } = findSqlUses(createCondition)
  return Object.freeze<CustomFilter>({
    field,
    columns,
    requestUses: uses,
    volatile: volatile || uses.now,
    compile: (location, value) => sql`(${createCondition(createSqlScope(location, value))})`,
  })
}

/** Creates the filter of a list from its declaration. */
export function createCustomFilter(fields: Fields, name: string, custom: CustomFilter): Filter {
  const { field, columns, volatile, requestUses, compile } = custom
  const path = Object.entries(fields).flatMap(([fieldName, each]) =>
    each.columns(fieldName).some(column => columns.includes(column)) ? each : [],
  )
  return {
    parameter: name,
    lookup: undefined,
    path,
    input: { ...field, ...combineVisible(path) },
    conditions: {
      '': (location, parameter) => compile(location, selectItems(field, location.dialect, parameter('value'))),
    },
    async read(texts, options) {
      const value = await (field.kind.hasItems ? readItems : readSingle)(field, texts, options)
      return { variant: '', values: { value: toStoredValue(field, value) } }
    },
    volatile,
    requestUses,
    usesRelations: false,
  }
}

/** The type of the items of a list that SQL can compare; undefined for others. */
const findItemType = ({ child }: Field): 'integer' | 'string' | undefined => {
  const type = child?.relation === undefined ? child?.kind.identifier?.type : undefined
  return type === 'uuid' ? undefined : type
}

function selectItems(field: Field, dialect: Dialect, value: Sql): Sql {
  if (!field.kind.hasItems) return value
  return sql`(${findItemType(field) === 'integer' ? dialect.keys(value) : dialect.texts(value)})`
}
