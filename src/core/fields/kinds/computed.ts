import { type Expression, sql } from 'kysely'
import { parseIntegers } from '../../base/exact-json.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import { checkIsField } from '../check-is-field.ts'
import { createColumnValue } from '../column-reference.ts'
import { defineField, type FieldOptions, readOnly } from '../define-field.ts'
import { type Field, type FieldDefinition, type FieldLocation, usesRequest } from '../field.ts'
import type { Computed, ConditionalOf, FieldLink, FieldTrait, FieldTypes } from '../field-types.ts'
import type { CallerReferences, ColumnsOf, RowReferences } from '../sql-references.ts'
import { createSqlScope, findSqlUses } from '../sql-scope.ts'
import { hasColumn, noColumns } from '../storage.ts'
import { valueKind } from './kind.ts'

/** The columns and values that the SQL of a computed field can use. */
export interface ComputedScope<User extends Identity = Identity, Row = RowReferences> {
  /** The columns of the row. */
  readonly row: Row
  /** The properties of the caller, as parameters. */
  readonly caller: CallerReferences<User>
  /** The time of the request as a parameter, in the format of `dateTime()`. Makes the field volatile. */
  readonly now: Sql
  /** The language that the request prefers, of those of the API, as a parameter; null if it prefers none. */
  readonly language: Sql
  readonly dialect: Dialect
}

interface TakesOption {
  /**
   * A field that reads the value in bodies: no column stores it, and hooks get it if the body contains it. Default: none; a value in a
   * body is ignored.
   */
  readonly takes?: Field
}

/** Options of a computed field in SQL. */
export interface ComputedSqlOptions extends TakesOption {
  /**
   * True: the value depends on the time or on random numbers, so responses with it are not cached and each needs a
   * query. Default: false, unless the SQL uses `now`; SQL with a function of time or randomness is then an error at start.
   */
  readonly volatile?: boolean
}

type VisibleOption = Pick<FieldOptions<unknown>, 'visible'>

interface ColumnOptions<Column extends string>
  extends VisibleOption,
    TakesOption,
    Pick<FieldOptions<unknown>, 'label' | 'help'> {
  /** The columns that are passed to the function. A column that belongs to a field is passed as that field's value. */
  readonly columns: readonly Column[]
  /** A computed field in SQL, whose value filters, searches and orders compare. Default: they cannot use the field. */
  readonly queriedAs?: Field
}

type ColumnValues<Column extends string> = Readonly<Record<Column, unknown>>

/** Options of a value that is computed for one object. */
export interface ComputedOptions<Column extends string, Value, User extends Identity = Identity>
  extends ColumnOptions<Column> {
  /** Returns the field's value as JSON. */
  readonly value: (columns: ColumnValues<Column>, context: RequestContext<User>) => Value
}

/** Options of a value that is computed for all objects of a page together. */
export interface ComputedPageOptions<Column extends string, Value, User extends Identity = Identity>
  extends ColumnOptions<Column> {
  /**
   * Returns the field's values as JSON, one per row and in the order of the rows. It is called once for a page, for each
   * portion of a list without pagination, and for one object with one row; never without rows.
   */
  readonly values: (
    rows: readonly ColumnValues<Column>[],
    context: RequestContext<User>,
  ) => MaybePromise<readonly Value[]>
}

/** The type of {@link computed}, in an API whose callers are of the type `User`, for a database with these tables. */
export interface DefineComputed<User extends Identity, Tables = AnyTables> {
  <Value, Shown, Taken, Trait extends FieldTrait, Link extends FieldLink, const Options extends ComputedSqlOptions>(
    field: Field<Value, Shown, Taken, Trait, Link>,
    createSql: (scope: ComputedScope<User, RowReferences<ColumnsOf<Tables>>>) => Sql,
    options?: Options,
  ): ComputedField<Value, Shown, Extract<Trait, 'conditional'>, Options>
  <Column extends string, Value, Options extends VisibleOption & TakesOption>(
    options: Options & (ComputedOptions<Column, Value, User> | ComputedPageOptions<Column, Value, User>),
  ): ComputedField<Value, Value, ConditionalOf<Options>, Options>
}

type ComputedField<Value, Shown, Trait extends FieldTrait, Options> = Options extends {
  readonly takes: { readonly '~types'?: infer Given extends FieldTypes }
}
  ? Field<Given['value'], Shown, Given['taken'], Trait | Extract<Given['trait'], 'optional' | 'omittable'>, Computed>
  : Field<Value, Shown, never, Trait, Computed>

/**
 * A value that is computed for each response and not stored. It is read-only, unless the option `takes` reads it in bodies.
 *
 * In SQL, the value is part of the statement that reads the object. `field` gives its type and the conversion to JSON. The
 * function is called at the declaration to find the columns and properties that it names, and again when a statement is
 * compiled; it must not depend on anything but its argument. On PostgreSQL, in the response to a write, SQL that queries
 * the resource's own table sees the rows as they were before that write.
 *
 * In TypeScript, each representation of the resource is parsed and serialized again. `value` computes it for one object,
 * `values` for all objects of a page, also asynchronously.
 *
 * @example
 * const fields = {
 *   loud: computed({ columns: ['title'], value: ({ title }) => `${title}!` }),
 *   rating: computed({ columns: ['isbn'], values: async books => findRatings(books.map(({ isbn }) => isbn)) }),
 *   codeLength: computed(integer(), ({ row }) => sql`length(${row.code})`),
 *   watched: computed(
 *     boolean(),
 *     ({ row, caller }) => sql`exists (select 1 from watchers where book_id = ${row.id} and user_id = ${caller.id})`,
 *   ),
 *   isOver: computed(boolean(), ({ row, now }) => sql`${row.ends} < ${now}`),
 * }
 */
export const computed = defineComputed as DefineComputed<Identity>

type CreateSql = (scope: ComputedScope) => Sql
type FromColumns = ComputedOptions<string, unknown> | ComputedPageOptions<string, unknown>

function defineComputed(first: Field | FromColumns, createSql?: CreateSql, options?: ComputedSqlOptions): Field {
  return createSql === undefined
    ? computeFromColumns(first as FromColumns)
    : computeInSql(first as Field, createSql, options)
}

function computeInSql(field: Field, createSql: CreateSql, { volatile = false, takes }: ComputedSqlOptions = {}): Field {
  checkIsField(field, 'computed(): the field')
  checkType(field, 'give')
  const { columns, uses } = findSqlUses(createSql)
  const compileValue = (location: FieldLocation) => sql`(${createSql(createSqlScope(location))})`
  return takeValue(takes, field, {
    columns: noColumns,
    columnUses: columns.map(column => ({ option: 'row', column })),
    ...(usesRequest(uses) && { requestUses: uses }),
    volatile: volatile || uses.now,
    compileValue,
    show: location => convertOnce(field, compileValue(location), location.dialect),
  })
}

type ShownParts = Pick<FieldDefinition, 'columns' | 'show'> & Partial<FieldDefinition>

/** Adds how bodies contain the value, if they do. `field`: what responses contain. */
function takeValue(takes: TakesOption['takes'], field: FieldDefinition, parts: ShownParts): Field {
  if (takes === undefined) return readOnly({ ...field, default: undefined, ...parts })
  const given: FieldDefinition = takes
  checkIsField(takes, 'computed(): takes')
  checkType(takes, 'takes:')
  if (given.unique !== undefined || given.fixed)
    throw new Error('computed(): takes: no column stores the value: remove "unique" and "fixed"')
  const { visible, label = given.label, help = given.help } = field
  return Object.freeze({
    ...given,
    label,
    help,
    ...(visible && { visible }),
    describeShown: builder => builder.shownValue(field),
    ...parts,
  })
}

function checkType(field: Field, option: 'give' | 'takes:'): void {
  const { relation, targetName, readOnly: isReadOnly, writeOnly, file } = field
  const isRelation = relation !== undefined || targetName !== undefined
  if (!hasColumn(field) || isRelation || file || isReadOnly || writeOnly)
    throw new Error(`computed(): ${option} a field that only has a type, such as boolean(), integer() or text()`)
}

// A conversion that mentions the value more than once reads it from a derived table, so that it is computed only once.
function convertOnce({ showValue }: Field, value: Sql, dialect: Dialect): Sql {
  if (showValue === undefined) return value
  let mentions = 0
  const counted: Expression<unknown> = {
    expressionType: undefined,
    toOperationNode() {
      mentions++
      return value.toOperationNode()
    },
  }
  const converted = showValue(counted, dialect)
  return mentions <= 1
    ? converted
    : sql`(select ${showValue(sql.ref('computed.value'), dialect)} from (select ${value} as value) as computed)`
}

function computeFromColumns(options: FromColumns): Field {
  const { columns, visible, takes, queriedAs } = options
  if (queriedAs !== undefined && queriedAs.compileValue === undefined)
    throw new Error(
      'computed(): queriedAs: give a computed field in SQL, such as computed(text(), ({ row }) => row.title)',
    )
  const field = defineField<unknown>({ ...(visible && { visible }) }, { kind: valueKind, parse: input => input })
  return takeValue(takes, field, {
    columns: noColumns,
    columnUses: [...columns.map(column => ({ option: 'columns', column })), ...(queriedAs?.columnUses ?? [])],
    ...(queriedAs && { queriedAs }),
    show: location => showColumns(location, columns),
    ...('values' in options ? computePage(options) : computeOne(options)),
  })
}

const showColumns = (location: FieldLocation, columns: readonly string[]): Sql =>
  location.dialect.object(columns.map(column => [column, createColumnValue(location, column)]))

const computeOne = ({ value }: ComputedOptions<string, unknown>): Pick<Field, 'compute'> => ({
  compute: (shown, context) => value(parseShown(shown) as ColumnValues<string>, context) ?? null,
})

const computePage = ({ values }: ComputedPageOptions<string, unknown>): Pick<Field, 'computeAll'> => ({
  async computeAll(shown, context) {
    const results: unknown = await values(parseShown(shown) as readonly ColumnValues<string>[], context)
    if (!Array.isArray(results)) throw new Error('values() did not return an array: return one value for each row')
    if (results.length !== shown.length)
      throw new Error(
        `values() returned ${results.length} values for ${shown.length} rows: return one value for each row, in the order of the rows`,
      )
    return results.map(result => result ?? null)
  },
})

// Numbers that `show` selected keep their digits as raw JSON.
const parseShown = (shown: unknown): unknown => parseIntegers(JSON.stringify(shown))
