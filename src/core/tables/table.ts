// A table, declared once: its migration, the types of its rows and the fields of its resources follow from it.

import { adviseName } from '../base/nearest-name.ts'
import type { Sql } from '../database/dialect.ts'
import type { ColumnType, DefaultValue } from '../database/schema/schema-state.ts'
import { createSlip } from '../fields/check-is-field.ts'
import type { Field, FieldDefinition } from '../fields/field.ts'
import { integerKey } from '../fields/keys/integer-key.ts'
import type { Key, KeyTypes } from '../keys/key.ts'
import {
  type GeneratedScope,
  type NameInSql,
  type ParentColumn,
  reference,
  type TableColumn,
  type TableColumnTypes,
} from './column.ts'
import type { Condition } from './condition.ts'

/** The columns of a table by name: each is a field, or one of the functions for columns, such as `reference`. */
export type DeclaredColumns = Readonly<Record<string, Field | TableColumn>>

export interface TableOptions<
  C extends DeclaredColumns = DeclaredColumns,
  K extends KeyTypes = KeyTypes,
  M extends ManyRelations = ManyRelations,
  E extends Parent = Parent,
> {
  readonly columns: C
  /**
   * The table whose rows those of this table extend, and the name of the reference to its row, which is the primary key. The rows have the
   * columns of both tables. This is multi-table inheritance in Django.
   *
   * @example
   * const restaurants = table('restaurants', { extends: { place: places }, columns: { serves_pizza: boolean({ default: false }) } })
   */
  readonly extends?: E
  /** The primary key; default: an integer in the column of the field `key()`. Several columns: their declared names. */
  readonly key?: Key<K> | readonly (keyof C & string)[]
  /** Sets of columns whose combined values are unique. */
  readonly unique?: readonly (readonly (keyof C & string)[])[]
  /** Indexes: the columns in their order, `-` for descending. With `where`, of the rows for which the condition holds. */
  readonly indexes?: readonly (readonly IndexedName<C>[] | IndexOptions<C>)[]
  /** SQL conditions that each row must fulfil, by name. `state: true`: the database too takes only the choices of the column `state`. */
  readonly checks?: Readonly<Record<string, CheckCondition<C> | NamedCheck<C> | true>>
  /**
   * Values that the database stores if an INSERT omits the column. Default: none, and the time for `created()` and `updated()`; null: none
   * for them either. A field's own default is set by the API.
   */
  readonly defaults?: { readonly [Name in keyof C]?: DefaultValue | null }
  /** The types of columns whose fields ask for another one, as in `{ email: { sqlite: 'text collate nocase', postgres: 'citext' } }`. */
  readonly types?: { readonly [Name in keyof C]?: ColumnType }
  /**
   * The rows of the table that exist: a condition that every resource of the table follows, every relation to it, and every value and
   * condition that uses it. Default: all.
   *
   * @example
   * rows: { or: [{ state: 'live' }, { author: caller('id') }, caller('isStaff')] }
   */
  readonly rows?: Condition
  /**
   * Relations to many rows through a table that joins two others, by name.
   *
   * @example
   * many: { tags: through('article_tags') }
   */
  readonly many?: M
  /** False: another program owns the table, and no migration changes it. Default: true. */
  readonly managed?: boolean
}

/** A table whose rows each join a row of one table with a row of another. */
export interface Through<out Join extends string = string> {
  readonly through: Join
  /** The reference of the joining table to this table, and the one to the other; default: the only ones. */
  readonly own?: string
  readonly other?: string
}

/** Relations through joining tables, by name. */
export type ManyRelations = Readonly<Record<string, Through>>

/**
 * A relation to many rows through the table that joins them with the rows of this one. `references`: the names of its references to this
 * table and to the other one, which are needed if it has several.
 *
 * @example
 * const many = { tags: through('article_tags'), followers: through('follows', { own: 'followed', other: 'follower' }) }
 */
export const through = <const Join extends string>(
  table: Join,
  references: Omit<Through, 'through'> = {},
): Through<Join> => Object.freeze({ through: table, ...references })

export type CheckCondition<C extends DeclaredColumns = DeclaredColumns> = (
  scope: GeneratedScope<NameInSql<NoInfer<C>>>,
) => Sql

/** A check of an existing table: the name of its constraint, which need not begin with that of the table. */
export interface NamedCheck<C extends DeclaredColumns = DeclaredColumns> {
  readonly name: string
  readonly condition: CheckCondition<C>
}

type IndexedName<C> = (keyof C & string) | `-${keyof C & string}`

export interface IndexOptions<C extends DeclaredColumns = DeclaredColumns> {
  readonly columns: readonly IndexedName<C>[]
  /** Default: the names of the table and of the columns. */
  readonly name?: string
  readonly unique?: boolean
  /** The condition of the rows: values of columns, or SQL. */
  readonly where?:
    | { readonly [Name in keyof C]?: string | number | boolean | null }
    | ((scope: GeneratedScope<NameInSql<NoInfer<C>>>) => Sql)
}

/** A table, by the name of the reference to it. */
export type Parent = Readonly<Record<string, Table>>

/** A declared table. `Own`: the columns that it does not have from the table that it extends. */
export interface Table<
  out Name extends string = string,
  out C extends DeclaredColumns = DeclaredColumns,
  out K extends KeyTypes = KeyTypes,
  out M extends ManyRelations = ManyRelations,
  out Own extends DeclaredColumns = C,
> {
  /** Exists only for the compiler. */
  readonly '~key'?: K
  /** Exists only for the compiler. */
  readonly '~many'?: M
  readonly name: Name
  /** The columns of its rows. */
  readonly columns: C
  /** The columns that it stores itself. */
  readonly ownColumns: Own
  /** The table that it extends, and the name of the reference to it. */
  readonly parent?: { readonly table: Table; readonly link: string }
  readonly key: Key<K> | readonly string[]
  readonly options: Omit<TableOptions, 'columns' | 'key' | 'extends'>
  /** The fields that these columns have, for a resource of the table. Nothing is public that is not named. */
  pick<Picked extends FieldName<C>>(...names: readonly Picked[]): { readonly [N in Picked]: FieldOfColumn<C[N]> }
}

type FieldName<C> = { [N in keyof C]: [FieldOfColumn<C[N]>] extends [never] ? never : N }[keyof C] & string

/** The field that a column has; never for a reference. */
export type FieldOfColumn<Column> = Column extends FieldDefinition
  ? Column
  : Column extends { readonly '~column'?: infer Types extends TableColumnTypes }
    ? Types['field']
    : never

/**
 * Declares a table.
 *
 * @example
 * const books = table('books', { columns: { id: key(), title: text({ max: 200 }), owner: owner('users'), created: created() } })
 */
export function table<
  const Name extends string,
  Own extends DeclaredColumns,
  K extends KeyTypes = KeyTypes<number, number, never>,
  M extends ManyRelations = Record<never, never>,
  const E extends Parent = Record<never, never>,
>(
  name: Name,
  { columns: declared, extends: extended, key: givenKey, ...options }: TableOptions<Own, K, M, E>,
): TableOf<Name, Own, K, M, E> {
  const place = `table "${name}"`
  for (const [column, each] of Object.entries(declared))
    if (!isColumn(each)) throw createSlip(each, `${place}: column "${column}"`, 'a field, such as text()')
  const parent = extended && findParent(extended, declared, place)
  if (parent !== undefined && givenKey !== undefined)
    throw new Error(`${place}: extends: the key is that of "${parent.table.name}": remove "key"`)
  const ownColumns: DeclaredColumns =
    parent === undefined
      ? declared
      : { [parent.link]: reference(parent.table.name, { onDelete: 'cascade' }), ...declared }
  const columns = parent === undefined ? ownColumns : { ...parent.table.columns, ...ownColumns }
  const column = Object.keys(options.many ?? {}).find(each => Object.hasOwn(columns, each))
  if (column !== undefined) throw new Error(`${place}: many: "${column}" is the name of a column: rename one of them`)
  return Object.freeze({
    name,
    columns,
    ownColumns,
    ...(parent && { parent }),
    key: parent?.table.key ?? givenKey ?? integerKey({ column: findKeyColumn(columns, place) }),
    options: options as Table['options'],
    pick: (...names: readonly string[]) =>
      Object.fromEntries(names.map(each => [each, pickField(columns, each, place)])),
  }) as never
}

type TableOf<Name extends string, Own extends DeclaredColumns, K extends KeyTypes, M extends ManyRelations, E> = [
  keyof E,
] extends [never]
  ? Table<Name, Own, K, M>
  : ExtendingTable<Name, Own, M, E, E[keyof E] extends infer P extends Table ? P : never>

type ExtendingTable<
  Name extends string,
  Own extends DeclaredColumns,
  M extends ManyRelations,
  E,
  P extends Table,
> = Table<Name, P['columns'] & LinkOf<E, P> & Own, NonNullable<P['~key']>, M, LinkOf<E, P> & Own>

type LinkOf<E, P extends Table> = { readonly [Link in keyof E]: ParentColumn<P['name']> }

function findParent(extended: Parent, own: DeclaredColumns, place: string): NonNullable<Table['parent']> {
  const [[link, parent] = [], ...others] = Object.entries(extended)
  if (link === undefined || parent?.columns === undefined || others.length > 0)
    throw new Error(`${place}: extends: name the reference and one table: write { place: places }`)
  if (Array.isArray(parent.key))
    throw new Error(
      `${place}: extends: the table "${parent.name}" has a key of several columns, which no reference contains`,
    )
  if ([own, parent.name].some(each => typeof each === 'string' && each.includes('.')))
    throw new Error(`${place}: extends: "${parent.name}" is in another schema, which a table cannot extend`)
  const same =
    [link, ...Object.keys(own)].find(each => Object.hasOwn(parent.columns, each)) ??
    (Object.hasOwn(own, link) ? link : undefined)
  if (same !== undefined)
    throw new Error(
      `${place}: extends: the rows have the column "${same}" twice, since "${parent.name}" has it too: rename it`,
    )
  const key = Object.keys(own).find(each => isKeyField(own[each]!))
  if (key !== undefined)
    throw new Error(`${place}: extends: the key is that of "${parent.name}": remove the column "${key}"`)
  return { table: parent, link }
}

// A field has a kind, and what a function for columns returns has a column.
const isColumn = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('kind' in value || 'column' in value)

/** Whether a column is declared by a function for columns, and not by a field. */
export const isTableColumn = (column: Field | TableColumn): column is TableColumn => !('kind' in column)

function findKeyColumn(columns: DeclaredColumns, place: string): string {
  const name = Object.keys(columns).find(each => isKeyField(columns[each]!))
  if (name !== undefined) return name
  throw new Error(
    `${place}: no column is the primary key: add id: key(), or name the columns, as in key: ["article", "tag"]`,
  )
}

/** Whether the column is the field `key()`. */
export const isKeyField = (column: Field | TableColumn): boolean =>
  !isTableColumn(column) && (column as Field).completion?.forKey !== undefined

function pickField(columns: DeclaredColumns, name: string, place: string): Field {
  const column = columns[name]
  if (column === undefined)
    throw new Error(`${place}: there is no column "${name}"${adviseName(name, Object.keys(columns))}`)
  const field = isTableColumn(column) ? column.field : column
  if (field !== undefined) return field
  throw new Error(
    `${place}: pick: "${name}" is a reference: declare how the resource shows it, as in ${name}: related(…)`,
  )
}
