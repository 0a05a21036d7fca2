import type { RequestContext } from '../context.ts'
import type { Sql } from '../database/dialect.ts'
import { parseIntegers } from '../exact-json.ts'
import { defineField, type Field, type Place, readOnly, valueIn } from './field.ts'

export interface ComputedOptions<Column extends string> {
  /** The columns that `value` reads. */
  readonly columns: readonly Column[]
  /** What is shown: anything that JSON can say. A column that a field keeps is given as that field's value. */
  readonly value: (columns: Readonly<Record<Column, unknown>>, context: RequestContext) => unknown
}

/** For a value in SQL. */
export interface ComputedSqlOptions {
  /**
   * True: the value changes although no data does, with the time or by chance. Responses with it are then not kept, and
   * cost a query each. Default: false; SQL that calls a function of the time or of chance is then an error at start.
   */
  readonly volatile?: boolean
}

/**
 * A value that is worked out for each answer and kept nowhere. In SQL it costs nothing; in TypeScript every
 * representation of its resource is read and written again. SQL that asks the resource's own table sees, in the answer
 * to a write on PostgreSQL, its rows as they were before.
 *
 * @example
 * const fields = {
 *   loud: computed({ columns: ['title'], value: ({ title }) => `${title}!` }),
 *   words: computed(({ table }) => sql`length(${sql.ref(`${table}.code`)})`),
 *   isOver: computed(({ table, dialect }) => dialect.boolean(sql`${sql.ref(`${table}.ends`)} < current_timestamp`), {
 *     volatile: true,
 *   }),
 * }
 */
export function computed<Column extends string>(
  options: ComputedOptions<Column> | ((place: Place) => Sql),
  { volatile = false }: ComputedSqlOptions = {},
): Field<unknown> {
  const parts = typeof options === 'function' ? { show: options, volatile } : inTypeScript(options)
  return readOnly(
    defineField<unknown>({}, { type: 'field', storage: { kind: 'none' }, parse: input => input, ...parts }),
  )
}

function inTypeScript<Column extends string>({
  columns,
  value,
}: ComputedOptions<Column>): Pick<Field, 'uses' | 'show' | 'compute'> {
  return {
    uses: columns.map(column => ({ option: 'columns', column })),
    show: place => place.dialect.object(columns.map(column => [column, valueIn(place, column)])),
    compute: (shown, context) => value(parseIntegers(JSON.stringify(shown)) as never, context) ?? null,
  }
}
