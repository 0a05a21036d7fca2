// The columns of a declared table. A field declares a column that stores its value; the functions here declare the others.

import type { Sql } from '../database/dialect.ts'
import type { ReferenceState } from '../database/schema/schema-state.ts'
import { checkIsField } from '../fields/check-is-field.ts'
import { readOnly } from '../fields/define-field.ts'
import type { Field, FieldDefinition } from '../fields/field.ts'
import type { FieldTypes, NullOf, Unlinked } from '../fields/field-types.ts'
import { dateTime } from '../fields/kinds/date-time.ts'
import type { CallerProperty, RowReferences } from '../fields/sql-references.ts'
import type { KeyValue } from '../keys/key.ts'

/** A column of a table that is not only the storage of a field. */
export interface TableColumn<out Types extends TableColumnTypes = TableColumnTypes> {
  /** Exists only for the compiler. */
  readonly '~column'?: Types
  /** The field that shows the column; undefined if resources have to declare one. */
  readonly field?: Field
  /** The name of the column; `*` stands for the declared name. */
  readonly column: string
  readonly nullable: boolean
  readonly reference?: ColumnReference
  /** The type of the ids of accounts that another system has. */
  readonly ids?: Field
  /** The value that a write of the framework sets, unless the resource sets it. */
  readonly fill?: ColumnFill
  /** Whose rows exist for a caller, of a column with the tenant. */
  readonly tenant?: TenantOptions
  readonly generated?: (scope: GeneratedScope) => Sql
}

/** The types of a column: of its value, whether an INSERT gives it, and its field; never if it has none. */
export interface TableColumnTypes {
  readonly value: unknown
  /** `*` is the name in the declaration. */
  readonly column: string
  readonly insert: 'required' | 'optional' | 'never'
  /** The table to which it refers; null for others. */
  readonly target: string | null
  /** The name by which that table leads back; null if it is the name of this table. */
  readonly related: string | null
  readonly field: unknown
}

/** The rows of another table, whose keys a column contains. */
export interface ColumnReference extends Pick<ReferenceState, 'onDelete'> {
  readonly table: string
  /** True: no two rows refer to the same one. Default: false. */
  readonly unique?: boolean
  /** The name by which the other table leads back to these rows; default: the name of the table. */
  readonly relatedName?: string
}

/**
 * `owner`: the key of the caller's account. `created` and `updated`: the time of the create, and of each write. `deleted`: the time of
 * the deletion, which leaves the row in the table. `tenant`: the caller's tenant.
 */
export type ColumnFill = 'owner' | 'created' | 'updated' | 'deleted' | 'tenant'

/** How a tenant follows from the caller. */
export interface TenantOptions {
  /** The key of the caller's tenant; default: the caller's property with the name of the column, such as `organization_id`. */
  readonly caller?: CallerProperty<KeyValue>
  /** A caller for whom it is true sees and changes the rows of all tenants. Default: no caller. */
  readonly all?: CallerProperty<boolean>
}

/** What the SQL of a generated column can use. */
export interface GeneratedScope<Column extends string = string> {
  readonly row: RowReferences<Column>
}

export interface ReferenceOptions extends Omit<ColumnReference, 'table'> {
  /** The name of the column; default: the declared name with `_id`. */
  readonly column?: string
  /** True: the column may be null. Default: false. */
  readonly nullable?: boolean
}

type ReferenceColumn<Target extends string, Options, Insert extends 'required' | 'optional'> = TableColumn<{
  readonly value: NullOf<Options>
  readonly column: NameOf<Options>
  readonly insert: Insert
  readonly target: Target
  readonly related: Options extends { readonly relatedName: infer Name extends string } ? Name : null
  readonly field: never
}>

/** The reference to the row that a row extends. */
export type ParentColumn<Target extends string> = ReferenceColumn<Target, ReferenceOptions, 'required'>

/**
 * A column with the key of a row of another table, which is named, so that tables can refer to each other. The column of `author` is
 * `author_id`.
 *
 * @example
 * const comments = table('comments', { columns: { id: key(), article: reference('articles', { onDelete: 'cascade' }), body: text() } })
 */
export const reference = <const Target extends string, const Options extends ReferenceOptions = ReferenceOptions>(
  target: Target,
  options: Options = {} as Options,
): ReferenceColumn<Target, Options, 'required'> => createReference(target, options)

/**
 * The account of the caller who creates the row: a reference to the table of accounts, or, if another system has the accounts, a field
 * with the type of their ids. A caller without an account gets 403, an anonymous one 401.
 *
 * @example
 * const columns = { id: key(), author: owner('users') }
 */
export function owner<const Target extends string | Field, const Options extends ReferenceOptions = ReferenceOptions>(
  target: Target,
  options: Options = {} as Options,
): OwnerColumn<Target, Options> {
  const { column = '*_id', nullable = false } = options
  const keys = typeof target === 'string' ? createReference(target, options) : { column, nullable, ids: target }
  return Object.freeze({ ...keys, fill: 'owner' }) as unknown as OwnerColumn<Target, Options>
}

/**
 * The tenant to which the row belongs: a reference to the table of tenants, or a field with the type of their keys. A create sets it to
 * that of the caller, and no body can. The rows of other tenants do not exist: in lists, relations, values, conditions and checks of
 * unique values. Unique values are unique for each tenant. With `nullable`, rows without a tenant exist only for the callers of `all`, who
 * create such rows if they have no tenant.
 *
 * @example
 * const columns = { id: key(), organization: tenant('organizations', { all: 'isSuperuser' }) }
 */
export function tenant<
  const Target extends string | Field,
  const Options extends TenantOptions & Omit<ReferenceOptions, 'unique'> = TenantOptions,
>(target: Target, options: Options = {} as Options): OwnerColumn<Target, Options> {
  const { caller, all, ...others } = options as TenantOptions & ReferenceOptions
  return Object.freeze({ ...owner(target, others), fill: 'tenant', tenant: { caller, all } }) as never
}

type OwnerColumn<Target, Options> = Target extends string
  ? ReferenceColumn<Target, Options, 'required'>
  : TableColumn<{
      readonly value: (Target extends FieldDefinition<infer Value> ? Value : never) | NullOf<Options>
      readonly column: NameOf<Options>
      readonly insert: 'required'
      readonly target: null
      readonly related: null
      readonly field: never
    }>

type NameOf<Options> = Options extends { readonly column: infer Name extends string } ? Name : '*_id'

const createReference = (
  table: string,
  { column = '*_id', nullable = false, ...options }: ReferenceOptions,
): TableColumn<never> => Object.freeze({ column, nullable, reference: { table, ...options } })

type TimeColumn = TableColumn<{
  readonly value: string
  readonly column: '*'
  readonly insert: 'optional'
  readonly target: null
  readonly related: null
  readonly field: Field<string, string, never, never, Unlinked>
}>

/** The time at which the row was created. */
export const created = (): TimeColumn => createTime('created')

/** The time of the last write to the row. */
export const updated = (): TimeColumn => createTime('updated')

/**
 * The time at which the row was deleted; null for the others. A deletion through a resource sets it, and leaves the row in the table. Deleted
 * rows do not exist for resources and conditions, except for a resource whose `rows` name the column. Their unique values are free.
 */
export const deleted = (): TableColumn<{
  readonly value: string | null
  readonly column: '*'
  readonly insert: 'optional'
  readonly target: null
  readonly related: null
  readonly field: Field<string | null, string | null, never, never, Unlinked>
}> =>
  Object.freeze({
    column: '*',
    nullable: true,
    fill: 'deleted',
    field: readOnly(dateTime({ nullable: true })) as Field,
  })

const createTime = (fill: ColumnFill): TimeColumn =>
  Object.freeze({ column: '*', nullable: false, fill, field: readOnly(dateTime()) as Field })

/**
 * A column that the database computes from the other columns of its row, and stores.
 *
 * @example
 * const words = generated(integer(), ({ row }) => sql`length(${row.body})`)
 */
export function generated<F extends Field>(
  field: F,
  create: (scope: GeneratedScope) => Sql,
): TableColumn<{
  readonly value: F extends FieldDefinition<infer Value> ? Value : never
  readonly column: '*'
  readonly insert: 'never'
  readonly target: null
  readonly related: null
  readonly field: ReadOnlyField<F>
}> {
  checkIsField(field, 'generated(): the field')
  return Object.freeze({
    column: '*',
    nullable: field.nullable,
    field: readOnly(field) as Field,
    generated: create,
  })
}

type ReadOnlyField<F> =
  F extends Field<infer Value, infer Shown, unknown, infer Trait, infer Link>
    ? Field<Value, Shown, never, Extract<Trait, 'conditional' | 'unique'>, Link>
    : never

/** The names of columns in the SQL of a table, as declared and as in the database; any name, if a field has several columns. */
export type NameInSql<Columns> = string extends keyof Columns
  ? string
  : {
      [Name in keyof Columns & string]: Columns[Name] extends SeveralColumns
        ? string
        : Name | ColumnName<Name, ColumnForm<Columns[Name]>>
    }[keyof Columns & string]

interface SeveralColumns {
  readonly '~types'?: { readonly link: { readonly kind: 'parts' } }
  readonly kind: unknown
}

/** The name of a column in the database. */
export type ColumnName<Name extends string, Form> = Form extends '*' ? Name : Form extends '*_id' ? `${Name}_id` : Form

/** How the name follows from the declared one: `*` stands for it. */
export type ColumnForm<Column> = Column extends { readonly '~types'?: infer T extends FieldTypes }
  ? T['link']['column'] extends string
    ? T['link']['column']
    : '*'
  : Column extends { readonly '~column'?: infer T extends TableColumnTypes }
    ? T['column']
    : never
