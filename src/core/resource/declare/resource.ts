// A resource is one declaration: a table, its fields and its policies. Routes, validation, SQL, JSON and types follow from it.

import type { Fields, RelationTarget } from '../../fields/field.ts'
import type { CallContext, CalledObject } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Scheme } from '../../policy/authentication/scheme.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import type { FilledColumns } from '../../tables/filled-columns.ts'
import type { Table } from '../../tables/table.ts'
import type { CountDeletion } from '../../view/deletion-counts.ts'
import type { Action, ActionMethod, PerAction } from './action-options.ts'
import type { FilterDeclarations } from './filters.ts'
import type { NestedUnder } from './nested-under.ts'
import type { PageOptions } from './page-options.ts'
import type { Changed, Created, ResourceTypes, Shown, TypedResource } from './representation.ts'
import type { ResourceOptions } from './resource-options.ts'
import type { DeclaredRowList } from './row-lists.ts'
import type { FindSingleton } from './singleton.ts'
import type { ListMethods, ObjectMethods, ObjectViews } from './views.ts'

/**
 * A declared resource. `Types` are the types of its declaration, from which those of representations and request bodies
 * follow. An API whose callers are of the type `User` accepts it, and so does any API whose own user type extends `User`.
 */
export interface Resource<
  out Name extends string = string,
  out Types extends ResourceTypes = ResourceTypes,
  in User extends Identity = Identity,
> extends Omit<
      ResourceOptions<Fields, string, unknown, unknown, User>,
      | 'authentication'
      | 'permissions'
      | 'table'
      | 'fields'
      | 'rows'
      | 'key'
      | 'lookup'
      | 'objectName'
      | 'pages'
      | 'lastModified'
      | 'auditFields'
      | 'filters'
      | 'actions'
      | 'methods'
      | 'perAction'
      | 'ordering'
      | 'orderingTies'
      | 'hookColumns'
      | 'description'
      | 'title'
      | 'nestedUnder'
      | 'lists'
      | 'objectViews'
      | 'listMethods'
      | 'objectMethods'
      | 'singleton'
      | 'uniqueTogether'
    >,
    RelationTarget,
    TypedResource<Types> {
  readonly name: Name
  readonly authentication?: readonly Scheme[]
  readonly permissions?: readonly Permission<User>[]
  readonly fields: Fields
  /** The `objectName`, if it follows from the fields. */
  readonly defaultName?: string
  readonly lastModified?: string
  readonly auditFields?: readonly string[]
  readonly pages?: PageOptions
  readonly filters?: FilterDeclarations
  readonly actions: readonly Action[]
  readonly methods?: readonly ActionMethod[]
  readonly perAction: PerAction<string, User>
  readonly ordering: readonly string[]
  readonly orderingTies?: readonly string[]
  readonly hookColumns: readonly string[]
  /** The filter of `rows`. */
  readonly ownRows?: RowFilter
  /** The declared table of the option `table`; undefined if that only names a table. */
  readonly declaredTable?: Table
  /** Finds the filter of the rows that exist of a table of the same schema; undefined if all do. */
  readonly findExistingRows?: (table: string) => RowFilter | undefined
  /** The column with the time of a deletion, which leaves the row in the table; undefined: a deletion removes the row. */
  readonly deletedColumn?: string
  /** The same column, if deleted rows are objects of the resource. */
  readonly restoredColumn?: string
  /** The columns of a declared table that writes set, if no hook does. */
  readonly filledColumns: FilledColumns
  readonly description: MessageText
  readonly title: string
  readonly nestedUnder: readonly NestedUnder[]
  readonly lists?: Readonly<Record<string, DeclaredRowList<User>>>
  readonly objectViews?: ObjectViews<User>
  readonly listMethods?: ListMethods<User>
  readonly objectMethods?: ObjectMethods<User>
  readonly singleton?: FindSingleton<User>
  readonly uniqueTogether: readonly (readonly string[])[]
  /** Counts what a deletion affects, for the page that confirms it. Default: the page says nothing about it. */
  readonly countDeletion?: CountDeletion
}

/** A resource as `resource` returns it, with the calls of its actions. */
export interface DeclaredResource<
  Name extends string = string,
  Types extends ResourceTypes = ResourceTypes,
  in User extends Identity = Identity,
> extends Resource<Name, Types, User> {
  /**
   * Creates an object from code, with all checks of a POST by the caller of the context: permissions, row filters, validation
   * and hooks, in the transaction of the calling code. Rejects with the exceptions of a POST; with an Error for values of
   * fields that cannot be written.
   *
   * @example
   * await lines.create({ order: key, product: 3 }, context)
   */
  create(
    values: Created<Types>,
    context: CallContext<User>,
  ): Promise<CalledObject<Types['key']['value'], Shown<Types, 'create'>>>
  /** Changes an object from code, like a PATCH; see `create`. */
  update(
    key: KeyValue,
    values: Changed<Types>,
    context: CallContext<User>,
  ): Promise<CalledObject<Types['key']['value'], Shown<Types, 'update'>>>
  /** Deletes an object from code, like a DELETE; see `create`. */
  destroy(key: KeyValue, context: CallContext<User>): Promise<void>
}
