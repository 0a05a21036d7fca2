import type { RequestContext } from '../context.ts'
import type { Sql } from '../database/dialect.ts'
import { parseIntegers } from '../exact-json.ts'
import { createColumnValue, defineField, type Field, type FieldLocation, readOnly } from './field.ts'

export interface ComputedOptions<Column extends string> {
  /** The columns that are passed to `value`. */
  readonly columns: readonly Column[]
  /** Returns the field's value as JSON. A column that belongs to a field is passed as that field's value. */
  readonly value: (columns: Readonly<Record<Column, unknown>>, context: RequestContext) => unknown
}

/** Options of a computed field in SQL. */
export interface ComputedSqlOptions {
  /**
   * True: the value depends on the time or on random numbers, so responses with it are not cached and each needs a
   * query. Default: false; SQL with a function of time or randomness is then an error at start.
   */
  readonly volatile?: boolean
}

/**
 * A read-only value that is computed for each response and not stored. SQL adds no cost; a TypeScript function requires
 * that each representation of the resource is parsed and serialized again. On PostgreSQL, in the response to a write, SQL
 * that queries the resource's own table sees the rows as they were before that write.
 *
 * @example
 * const fields = {
 *   loud: computed({ columns: ['title'], value: ({ title }) => `${title}!` }),
 *   codeLength: computed(({ table }) => sql`length(${sql.ref(`${table}.code`)})`),
 *   isOver: computed(({ table, dialect }) => dialect.boolean(sql`${sql.ref(`${table}.ends`)} < current_timestamp`), {
 *     volatile: true,
 *   }),
 * }
 */
export function computed<Column extends string>(
  options: ComputedOptions<Column> | ((location: FieldLocation) => Sql),
  { volatile = false }: ComputedSqlOptions = {},
): Field<unknown, unknown, never, never> {
  const parts = typeof options === 'function' ? { show: options, volatile } : createComputedParts(options)
  return readOnly(
    defineField<unknown>({}, { type: 'field', storage: { kind: 'none' }, parse: input => input, ...parts }),
  )
}

function createComputedParts<Column extends string>({
  columns,
  value,
}: ComputedOptions<Column>): Pick<Field, 'columnUses' | 'show' | 'compute'> {
  return {
    columnUses: columns.map(column => ({ option: 'columns', column })),
    show: location => location.dialect.object(columns.map(column => [column, createColumnValue(location, column)])),
    compute: (shown, context) => value(parseIntegers(JSON.stringify(shown)) as never, context) ?? null,
  }
}
