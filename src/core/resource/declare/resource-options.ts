// The options with which an application declares a resource. A wrong declaration is a compile error, or an error at start that names the fix.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables } from '../../database/database.ts'
import type { OperationOptions } from '../../describe/openapi-types.ts'
import type { DeclaredFields, FieldRecords, Values } from '../../fields/declared-fields.ts'
import type { Wire } from '../../fields/wire-names.ts'
import type { Envelope } from '../../http/envelope/envelope.ts'
import type { Identity } from '../../http/identity.ts'
import type { HeaderFields } from '../../http/response.ts'
import type { ParameterNames } from '../../http/urls/parameter-names.ts'
import type { Key, KeyTypes, KeyValue } from '../../keys/key.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { Scheme } from '../../policy/authentication/scheme.ts'
import type { Condition } from '../../tables/condition.ts'
import type { AnySchema, CheckedForTable } from '../../tables/condition-types.ts'
import type { DeclaredColumns, Table as DeclaredTable } from '../../tables/table.ts'
import type { AuditEventOption, RawBodyOption, UnknownFields, ViewPolicies } from '../../view/view.ts'
import type { Action, ActionMethod, PerAction } from './action-options.ts'
import type { BulkMode, BulkOptions } from './bulk-option.ts'
import type { RowColumns } from './column-types.ts'
import type { FieldMistakes, LookupMistakes, PermissionList } from './declaration-mistakes.ts'
import type { DeclaredTypes } from './declared-types.ts'
import type { FilterLimits } from './filter-limits.ts'
import type { FilterMistakes } from './filter-types.ts'
import type { FilterDeclarations } from './filters.ts'
import type { HookColumnMistakes, Hooks } from './hooks.ts'
import type { NestedUnderOptions } from './nested-under.ts'
import type { PageOptions } from './page-options.ts'
import type { PutOption } from './put-option.ts'
import type { Writable } from './representation.ts'
import type { OwnResolved } from './resolved-fields.ts'
import type { RowList } from './row-lists.ts'
import type { FindOwnKey } from './singleton.ts'
import type { DeclareObjectViews, ListMethods, ListViews, ObjectMethods, ObjectViews } from './views.ts'

/** The names of the tables. */
export type TableName<Tables> = keyof Tables & string

/** The names of a table's columns. */
export type ColumnName<Tables, Table extends TableName<Tables>> = keyof Tables[Table] & string

/** The names of a table's columns; none, if the application does not declare its tables. */
type KnownColumn<Tables, Table extends TableName<Tables>> =
  string extends ColumnName<Tables, Table> ? never : ColumnName<Tables, Table>

/** The name of a field, or a path through relations: `customer.country.name`. */
export type FieldPath<Name extends string> = Name | `${Name}.${string}`

/** A name to order by. */
export type OrderName<Name extends string> = Name | `-${Name}`

/** What the views of objects know of their resource. */
interface OwnObject<
  Tables,
  Table extends TableName<Tables>,
  K extends KeyTypes,
  F extends DeclaredFields,
  Options,
  Filters extends FilterDeclarations,
  Ordered extends string,
  Names,
  Name extends string,
> {
  readonly key: K['value']
  readonly column: ColumnName<Tables, Table>
  readonly changed: Writable<DeclaredTypes<string, K, F, Options, Filters, Ordered, Names>>
  readonly fields: OwnResolved<FieldRecords<F, K>, Name, K['value']>
  readonly row: Tables[Table]
}

/** The names of fields by set. */
export type FieldSets<Name extends string = string> = Readonly<Record<string, readonly Name[]>>

/**
 * The declaration of a resource. `HookColumn`: the columns that hooks write. `Prepared` and `Added`: the return types of
 * `prepare` and `beforeSave`. `User`: the type of the API's callers. `Tables`: the columns of the database's tables.
 */
export interface ResourceOptions<
  F extends DeclaredFields,
  HookColumn extends string,
  Prepared = unknown,
  Added = unknown,
  User extends Identity = Identity,
  Options extends PerAction<keyof F & string, User> = PerAction<keyof F & string, User>,
  Filters extends FilterDeclarations = FilterDeclarations,
  Ordered extends FieldPath<keyof F & string> = FieldPath<keyof F & string>,
  Tables = AnyTables,
  Table extends TableName<Tables> = TableName<Tables>,
  K extends KeyTypes = KeyTypes,
  Names extends Wire<keyof F & string> | undefined = Wire<keyof F & string> | undefined,
  Lookup extends (keyof F & string) | readonly (keyof F & string)[] = keyof F & string,
  Offered extends Action = Action,
  Many extends BulkMode | BulkOptions = BulkMode | BulkOptions,
  Found extends MaybePromise<KeyValue | null | undefined> = MaybePromise<KeyValue | null | undefined>,
  Parent extends string = string,
  Only extends boolean = boolean,
  Lists extends Readonly<Record<string, unknown>> = Readonly<Record<string, Condition>>,
  ListLevel extends ListViews<User> = ListViews<User>,
  ObjectLevel extends ObjectViews<User> = ObjectViews<User>,
  Expandable extends FieldPath<keyof F & string> = FieldPath<keyof F & string>,
  Sparse extends boolean = boolean,
  Pages extends Paginator | null = Paginator | null,
  Around extends Envelope = Envelope,
  Name extends string = string,
  Rows extends Condition = Condition,
  S extends AnySchema = AnySchema,
  Methods extends ActionMethod = ActionMethod,
  ListOwn extends Partial<ListMethods<User>> = ListMethods<User>,
  ObjectOwn extends Partial<ObjectMethods<User>> = ObjectMethods<User>,
  Path extends string = string,
  Parameters extends ParameterNames = ParameterNames,
  Sets extends FieldSets<keyof F & string> = FieldSets<keyof F & string>,
  SelectsIn extends 'reads' | 'all' = 'reads' | 'all',
> extends Partial<Omit<ViewPolicies<User>, 'permissions'>>,
    Hooks<
      OwnResolved<FieldRecords<F, NoInfer<K>>, NoInfer<Name>, NoInfer<K>['value']>,
      NoInfer<HookColumn>,
      Prepared,
      Added,
      User,
      Tables,
      NoInfer<K>['value'],
      Tables[Table]
    > {
  readonly authentication?: readonly Scheme<User>[]
  readonly permissions?: PermissionList<User, ColumnName<Tables, Table>>
  /** The table of the objects: declared, or the name of one that exists. */
  readonly table: Table | DeclaredTable<Table, DeclaredColumns, K>
  /**
   * The primary key; default: that of the declared table, or else `integerKey()`, an integer in the column `id` that the database
   * generates.
   */
  readonly key?: Key<K>
  /**
   * The path of its list, below the API or the objects of a parent: `custom-fields`, or several segments. Below parents with `only`,
   * it may be empty: the list has the URL of the parent. Default: the resource's name.
   */
  readonly path?: Path
  /**
   * The unique field that the URLs of objects contain instead of the key, or a list of fields, each a segment, that name one object
   * among the rows of a parent or of the caller. Their values may change, and the URLs with them.
   */
  readonly lookup?: Lookup & LookupMistakes<NoInfer<Lookup>, FieldRecords<F, NoInfer<K>>>
  readonly fields: F & FieldMistakes<FieldRecords<F, NoInfer<K>>, NoInfer<Table>, S>
  /**
   * The rows of the table that are objects of the resource: a condition. For everybody, the others do not exist here.
   *
   * @example
   * rows: { state: 'live', author: caller('id') }
   */
  readonly rows?: CheckedForTable<Rows, NoInfer<Table>, S, User>
  /**
   * Fields to order by, also through relations to one object; `-` means descending. The primary key breaks ties. With the
   * types of the tables (`forTypes`), also columns that no field has.
   */
  readonly ordering?: readonly OrderName<
    FieldPath<keyof F & string> | NoInfer<HookColumn> | KnownColumn<Tables, Table>
  >[]
  /**
   * Fields that `?search=` searches, ignoring the case of ASCII letters; also fields of related resources, such as
   * `customer.country.name`.
   */
  readonly searchFields?: readonly FieldPath<keyof F & string>[]
  /**
   * `words`: each word, and each phrase in quotation marks, occurs in one of the search fields. `phrase`: the whole text does.
   * Default: `words`, as in Django REST framework.
   */
  readonly searchAs?: 'words' | 'phrase'
  /**
   * The filters of lists: lookups of fields and of fields of related resources, and filters with their own SQL.
   * `true` is the lookup `exact`.
   *
   * @example
   * filters: { status: true, total: ['gte', 'in'], 'customer.country': ['in'], late: filter(boolean(), …) }
   */
  readonly filters?: Filters & FilterMistakes<NoInfer<Filters>, FieldRecords<F, NoInfer<K>>, NoInfer<Table>, S, User>
  /** The most filters in one query (default 20), and the most values of one `in` (default 100). */
  readonly filterLimits?: FilterLimits
  /**
   * The names of the query parameters that search and order its lists, and choose what its responses show:
   * `{ search: 'q', omit: 'exclude' }`. Default: the API's.
   */
  readonly parameters?: Parameters
  /** Whether lists refuse unknown parameters with 400. Default: as the API. */
  readonly strict?: boolean
  /**
   * `refuse`: a body with a field that does not exist is 400, with an error at its name, also inside objects and lists. Fields
   * that responses show may be sent back. Default: the API's.
   */
  readonly unknownFields?: UnknownFields
  /**
   * True: permissions, hooks and handlers get the bytes of bodies as `rawBody`, which are read before the permissions are checked, up
   * to 4 MiB or `limit` bytes. Default: false.
   */
  readonly rawBody?: RawBodyOption
  /** Header fields that hooks and handlers set with `setHeaders`, by name in lower case: `{ 'x-segment': text() }`. */
  readonly responseHeaders?: DeclaredFields
  /** Header fields of every response of its URLs, in lower case, such as `{ deprecation: '@1767225600' }`. */
  readonly headers?: HeaderFields
  /** Whether `resource-api check` names indexes that the lists want; default: the API's. False for a small table. */
  readonly suggestsIndexes?: boolean
  /**
   * True: callers may choose the fields of lists and objects with `?fields=id,title`, or leave some out with
   * `?omit=title`. Default: false.
   */
  readonly sparseFields?: Sparse
  /**
   * Sets of fields that callers may choose by a parameter: `{ brief: ['id', 'name'] }` and `?brief=true`. Only these fields are read and
   * shown.
   */
  readonly fieldSets?: Sets
  /**
   * `ignore`: unknown names in `fields`, `omit` and `expand` select nothing. `refuse`: they are 400. Default: `refuse`.
   */
  readonly unknownNames?: 'refuse' | 'ignore'
  /**
   * Relations that callers may ask to see as objects instead of keys: `?expand=customer,lines.product`. The objects are
   * those that the related resource's own URLs show to the caller.
   */
  readonly expandableFields?: readonly Expandable[]
  /**
   * Which responses `fields`, `omit` and `expand` change: those to GET (`reads`), or also those to POST, PUT and PATCH, and the
   * representations of extra actions (`all`). Default: `reads`.
   */
  readonly selectsIn?: SelectsIn
  /**
   * Fields that callers may order by: `?ordering=-title`. Also computed fields in SQL, and fields of related resources: the
   * parameter of `customer.name` is `customer__name`.
   */
  readonly orderingFields?: readonly Ordered[]
  /**
   * What orders the rows that are equal in the order of a query: `['-created']`, as `ordering`. Default: the primary key, in the
   * direction of the last name.
   */
  readonly orderingTies?: readonly OrderName<
    FieldPath<keyof F & string> | NoInfer<HookColumn> | KnownColumn<Tables, Table>
  >[]
  /** Default: all actions; those of a singleton are `retrieve`, `update` and `destroy`. */
  readonly actions?: readonly Offered[]
  /**
   * The methods that the actions have at the URLs of the list and of the objects: `['GET', 'PATCH']` is neither PUT, POST nor
   * DELETE. Default: those of `actions`; `update` is both PUT and PATCH.
   */
  readonly methods?: readonly Methods[]
  /** Options of single actions. */
  readonly perAction?: Options
  readonly description?: MessageText
  /**
   * The name of one object, in the singular: `Address`. It appears in the names of the views; their ids, such as
   * `addresses-list`, contain the resource's name. Default: the singular of the resource's name.
   */
  readonly title?: string
  /**
   * The field that names an object, such as `username`: on pages, in relations that show a text, and in the audit log. Default: the one
   * unique text, unless it is that of the URL; a text `name` or `title`; the text of the URL; the first text of `searchFields`.
   */
  readonly objectName?: keyof F & string
  /** The names, columns, groups of fields and actions on pages for people. */
  readonly pages?: PageOptions<keyof F & string>
  /**
   * The date-time field that says when an object changed: GET sends it as `Last-Modified`. `If-Modified-Since` is ignored if a
   * GET shows more than columns of the row, or depends on the caller.
   */
  readonly lastModified?: keyof F & string
  /** True: valid PUT, PATCH and DELETE requests of an object are 428 without `If-Match`. Default: false. */
  readonly requireIfMatch?: boolean
  /**
   * True: no response of the resource may be stored by a browser or cache (`Cache-Control: no-store`), and none has an `ETag`.
   * Creates ignore an `Idempotency-Key`. For what holds secrets. Default: false.
   */
  readonly noStore?: boolean
  /**
   * True: `feed/` below the list sends its changes as they happen, and `changes/` those since a position. The database needs
   * `feedMigrations`. Default: false.
   */
  readonly feed?: boolean
  /** Added to the description of all methods of the resource in the OpenAPI document; false leaves the resource out. */
  readonly openapi?: OperationOptions | false
  /** The audit event of successful requests, for all views of the resource that do not declare their own. */
  readonly auditEvent?: AuditEventOption
  /**
   * The fields whose values the audit log records when they change; of the others, it records only that they changed. Default: all;
   * none if the resource has `noStore`. Write-only fields have no recorded values.
   */
  readonly auditFields?: readonly (keyof F & string)[]
  /** The paginator of lists; null for none. Default: the API's. */
  readonly pagination?: Pages
  /**
   * The names around objects and lists in bodies: `{ one: 'article', many: 'articles' }`. They replace all names of the API's
   * option; `{}` is for none.
   */
  readonly envelope?: Around
  /**
   * `whole`: a PUT must contain all required fields, as in Django REST framework. `partial`: fields that it does not contain stay
   * unchanged, as in a PATCH. Default: the API's.
   */
  readonly put?: PutOption
  /**
   * Lets an array of objects in a POST, PATCH or PUT to the list's URL create or change them, and an array of keys in a DELETE
   * delete them: all or none (`'atomic'`), or every item by itself (`'each'`). Default: a request is about one object.
   */
  readonly bulk?: Many
  /** Columns that hooks write and no field shows. */
  readonly hookColumns?: readonly HookColumn[] & HookColumnMistakes<NoInfer<HookColumn>, FieldRecords<F, NoInfer<K>>>
  /** Additional methods of the list's URL, such as `DELETE /books/`. They have the policies of the list. */
  readonly listMethods?: ListOwn & ListMethods<User>
  /**
   * Methods of the objects' own URLs, such as `PUT /books/3/`, with handlers as in `objectViews`. They replace those of the actions
   * and have the policies of the resource.
   */
  readonly objectMethods?:
    | (ObjectOwn & ObjectMethods<User>)
    | DeclareObjectViews<
        User,
        Tables,
        OwnObject<
          Tables,
          Table,
          NoInfer<K>,
          NoInfer<F>,
          NoInfer<Options>,
          Filters,
          Ordered,
          NoInfer<Names>,
          NoInfer<Name>
        >,
        ObjectOwn
      >
  /**
   * Further lists of the resource, by the last part of their path: `/articles/feed/`. They contain some of its rows, and have the
   * search, filters and pages of its list, also below its parents.
   *
   * @example
   * lists: { mine: { rows: ({ row, caller }) => sql`${row.owner_id} = ${caller.id}`, permissions: [authenticated] } }
   */
  readonly lists?: {
    readonly [Name in keyof Lists]: RowList<
      User,
      OrderName<FieldPath<keyof F & string> | NoInfer<HookColumn> | KnownColumn<Tables, Table>>,
      RowColumns<FieldRecords<NoInfer<F>, NoInfer<K>>, NoInfer<HookColumn>, Tables[NoInfer<Table>]>,
      Lists[Name] extends Condition ? CheckedForTable<Lists[Name], NoInfer<Table>, S, User> : never
    >
  }
  /** Views below the list's URL, by the last part of their path: `/books/recent/`. */
  readonly listViews?: ListLevel & ListViews<User>
  /**
   * Views below an object's URL, by the last part of their path: `/books/3/borrow/`. The `objectView` that a function gets
   * here knows the type of the key: `({ objectView }) => ({ borrow: objectView({ … }) })`.
   */
  readonly objectViews?:
    | (ObjectLevel & ObjectViews<User>)
    | DeclareObjectViews<
        User,
        Tables,
        OwnObject<
          Tables,
          Table,
          NoInfer<K>,
          NoInfer<F>,
          NoInfer<Options>,
          Filters,
          Ordered,
          NoInfer<Names>,
          NoInfer<Name>
        >,
        ObjectLevel
      >
  /**
   * Parent resources: the objects of this resource also have their URLs, with all actions and views, below those of each
   * parent: `/customers/3/orders/7/`. A parent may be nested itself.
   */
  readonly nestedUnder?: readonly NestedUnderOptions<keyof F & string, Parent, Only>[]
  /**
   * Finds the key of the one object that the resource has at its URL, which then contains no key: `/me/`. Null or undefined is
   * 404. Its actions are `retrieve`, `update` and `destroy`; with `create`, a PUT creates the object if it does not exist.
   *
   * @example
   * singleton: ({ caller }) => caller.id
   */
  readonly singleton?: FindOwnKey<User, Found, NoInfer<K>['value']>
  /** Sets of fields whose combined values must be unique; default: the `unique` sets of the declared table whose columns bodies give. */
  readonly uniqueTogether?: readonly (readonly (keyof F & string)[])[]
  /**
   * The names of the fields on the wire: `'camelCase'`, or the names of single fields. Bodies, responses, errors, OPTIONS,
   * forms and queries contain them; options and hooks keep the declared names. Default: the declared names.
   */
  readonly wire?: Names
  /**
   * Converts the values of a whole request body once each field is valid, without side effects. The values that it sets
   * are checked like those of the body; those that it leaves out are not written.
   */
  readonly normalize?: (values: Values<FieldRecords<F, NoInfer<K>>>) => Values<FieldRecords<F, NoInfer<K>>>
}
