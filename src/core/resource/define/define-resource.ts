import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables } from '../../database/database.ts'
import { completeKeyFields, createFields, type DeclaredFields } from '../../fields/declared-fields.ts'
import type { Fields, RelationTarget } from '../../fields/field.ts'
import { integerKey } from '../../fields/keys/integer-key.ts'
import { storageColumn } from '../../fields/storage.ts'
import { nameFields, type Wire } from '../../fields/wire-names.ts'
import type { ActionCalls, CallContext, CalledResource } from '../../http/context.ts'
import type { Envelope } from '../../http/envelope/envelope.ts'
import type { Identity } from '../../http/identity.ts'
import type { ParameterNames } from '../../http/urls/parameter-names.ts'
import type { Key, KeyTypes, KeyValue } from '../../keys/key.ts'
import { formatSingularTitle } from '../../messages/title.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { Condition } from '../../tables/condition.ts'
import type { AnySchema } from '../../tables/condition-types.ts'
import type { Table } from '../../tables/table.ts'
import {
  type Action,
  type ActionMethod,
  allActions,
  type PerAction,
  singletonActions,
} from '../declare/action-options.ts'
import type { BulkMode, BulkOptions } from '../declare/bulk-option.ts'
import type { DeclaredTypes } from '../declare/declared-types.ts'
import type { FilterDeclarations } from '../declare/filters.ts'
import type { NestedUnder, NestedUnderOptions } from '../declare/nested-under.ts'
import type { DeclaredResource, Resource } from '../declare/resource.ts'
import { listMethodsOf } from '../declare/resource-methods.ts'
import type { ColumnName, FieldPath, FieldSets, ResourceOptions, TableName } from '../declare/resource-options.ts'
import { type ListMethods, type ListViews, type ObjectMethods, type ObjectViews, objectView } from '../declare/views.ts'
import { checkDeclaration } from './check-declaration.ts'
import { checkFieldsOfTable } from './check-table.ts'
import { completeForTable, completeTableFields, findJoinTable } from './complete-for-table.ts'
import { completeViews } from './complete-policies.ts'
import { completeObjectName } from './object-name.ts'

/** The type of {@link resource}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineResource<User extends Identity, Tables = AnyTables, S extends AnySchema = AnySchema> = <
  const Name extends string,
  F extends DeclaredFields,
  const Table extends TableName<Tables>,
  HookColumn extends ColumnName<Tables, Table> = never,
  Prepared = Record<never, never>,
  Added = Record<never, never>,
  const Options extends PerAction<keyof F & string, User> = Record<never, never>,
  const Filters extends FilterDeclarations = Record<never, never>,
  const Ordered extends FieldPath<keyof F & string> = never,
  K extends KeyTypes = KeyTypes<number, number, never>,
  const Names extends Wire<keyof F & string> | undefined = undefined,
  const Lookup extends (keyof F & string) | readonly (keyof F & string)[] = never,
  Offered extends Action = never,
  const Many extends BulkMode | BulkOptions = never,
  Found extends MaybePromise<KeyValue | null | undefined> = never,
  Parent extends string = never,
  Only extends boolean = never,
  const Lists extends Readonly<Record<string, unknown>> = Record<never, never>,
  ListLevel extends ListViews<User> = Record<never, never>,
  ObjectLevel extends ObjectViews<User> = Record<never, never>,
  const Expandable extends FieldPath<keyof F & string> = never,
  Sparse extends boolean = never,
  Pages extends Paginator | null = never,
  const Around extends Envelope = never,
  const Rows extends Condition = never,
  Methods extends ActionMethod = never,
  ListOwn extends Partial<ListMethods<User>> = Record<never, never>,
  ObjectOwn extends Partial<ObjectMethods<User>> = Record<never, never>,
  Path extends string = never,
  const Renamed extends ParameterNames = never,
  const Sets extends FieldSets<keyof F & string> = never,
  SelectsIn extends 'reads' | 'all' = never,
>(
  name: Name,
  options: ResourceOptions<
    F,
    HookColumn,
    Prepared,
    Added,
    User,
    Options,
    Filters,
    Ordered,
    Tables,
    Table,
    K,
    Names,
    Lookup,
    Offered,
    Many,
    Found,
    Parent,
    Only,
    Lists,
    ListLevel,
    ObjectLevel,
    Expandable,
    Sparse,
    Pages,
    Around,
    Name,
    Rows,
    S,
    Methods,
    ListOwn,
    ObjectOwn,
    Path,
    Renamed,
    Sets,
    SelectsIn
  >,
) => DeclaredResource<
  Name,
  DeclaredTypes<
    Name,
    NoInfer<K>,
    F,
    Options,
    Filters,
    Ordered,
    NoInfer<Names>,
    // Without NoInfer, an API would infer options that a resource inside its list does not declare.
    NoInfer<{
      readonly lookup: Lookup
      readonly actions: Offered
      readonly methods: Methods
      readonly bulk: Many
      readonly singleton: Found
      readonly parents: Parent
      readonly only: Only
      readonly lists: keyof Lists & string
      readonly listViews: ListLevel
      readonly listMethods: ListOwn
      readonly objectMethods: ObjectOwn
      readonly objectViews: ObjectLevel
      readonly expandable: Expandable
      readonly sparse: Sparse
      readonly selectsIn: SelectsIn
      readonly fieldSets: Sets
      readonly pages: Pages
      readonly envelope: Around
      readonly path: Path
      readonly parameters: Renamed
    }>
  >,
  User
>

/**
 * Declares a resource. `name` is its name in the API root, and its path unless the option `path` is another one.
 *
 * @example
 * const groups = resource('groups', {
 *   table: 'groups',
 *   ordering: ['name'],
 *   fields: { url: hyperlinkedIdentity(), name: text({ max: 150 }) },
 * })
 */
export const resource = ((name: string, options: ResourceOptions<DeclaredFields, string>): Resource => {
  const table = typeof options.table === 'object' ? options.table : undefined
  const key = checkKey(name, options.key ?? (table?.key as Key | undefined) ?? defaultKey)
  checkFieldsOption(name, options)
  const completed = completeKeyFields(createFields(options.fields, `resource "${name}"`), key)
  const declaredFields = completeTableFields(completed, table, name)
  const fields = nameOwnFields(name, declaredFields, options.wire)
  const nestedUnder = createNestings(name, { fields, key, table }, options.nestedUnder)
  const { objectViews, objectMethods, rows, lists, objectName, defaultName, ...kept } = options as typeof options &
    Pick<Resource, 'defaultName'>
  const declaredMethods = { ...(objectMethods && { objectMethods: declareViews(objectMethods) as ObjectMethods }) }
  const own: { readonly objectMethods?: ObjectMethods } = completeViews(declaredMethods, table, name)
  const declared = {
    ...(kept as unknown as Omit<
      ResourceOptions<Fields, string>,
      'objectViews' | 'objectMethods' | 'permissions' | 'table' | 'rows' | 'lists'
    > &
      Pick<Resource, 'permissions'>),
    name,
    table: table?.name ?? (options.table as string),
    key,
    fields,
    actions: options.actions ?? listDefaultActions({ ...options, objectMethods: own.objectMethods }),
    ordering: options.ordering ?? [],
    ...completeObjectName({ ...kept, fields, objectName, defaultName }),
    ...completeForTable({ name, options, fields, nestedUnder, table }),
    description: options.description ?? '',
    title: options.title ?? formatSingularTitle(name),
    nestedUnder,
    ...(objectViews && { objectViews: completeViews(declareViews(objectViews), table, name) }),
    ...own,
    ...createMethods({ name, table: table?.name ?? (options.table as string) }),
  }
  checkDeclaration(declared)
  if (table !== undefined) checkFieldsOfTable(declared, table)
  return Object.freeze(declared)
}) as unknown as DefineResource<Identity>

const declareViews = <Views extends object>(
  views: Views | ((define: { readonly objectView: typeof objectView }) => Views),
): Views => (typeof views === 'function' ? views({ objectView }) : views)

const listDefaultActions = (resource: Parameters<typeof listMethodsOf>[0]): readonly Action[] =>
  (resource.singleton ? singletonActions : allActions).filter(action => listMethodsOf(resource, action).length > 0)

function nameOwnFields(name: string, fields: Fields, wire: Wire | undefined): Fields {
  try {
    return nameFields(fields, wire)
  } catch (error) {
    throw new Error(`resource "${name}": ${(error as Error).message}`)
  }
}

type Methods = Pick<DeclaredResource, 'create' | 'update' | 'destroy'>

function createMethods(resource: CalledResource): Methods {
  const { name } = resource
  return {
    create: (values, context) => findCalls(name, context).create(resource, values, context),
    update: (key, values, context) => findCalls(name, context).update(resource, key, values, context),
    destroy: (key, context) => findCalls(name, context).destroy(resource, key, context),
  }
}

function findCalls(name: string, context: Partial<CallContext> | undefined): ActionCalls {
  if (context?.view !== undefined) return context.view.calls
  throw new Error(
    `${name}: the context of a called action must be that of a handler or a hook, or a result of createContext()`,
  )
}

function createNestings(
  name: string,
  declared: NestedTable,
  nestings: readonly NestedUnderOptions[] = [],
): readonly NestedUnder[] {
  try {
    // Node runs TypeScript without checking types.
    if (!Array.isArray(nestings)) throw new Error('must be a list: write [{ parent, field }]')
    return nestings.map(nesting => completeNesting(declared, nesting))
  } catch (error) {
    throw new Error(`resource "${name}": nestedUnder: ${(error as Error).message}`)
  }
}

interface NestedTable {
  readonly fields: Fields
  readonly key: Key
  readonly table: Table | undefined
}

function completeNesting(
  { fields, key, table }: NestedTable,
  { parent: given, field: name, column, only = false, through }: NestedUnderOptions,
): NestedUnder {
  // An API resolves the name of a parent, and checks it.
  const parent = given as RelationTarget
  if (given === undefined) throw new Error('name the parent: write { parent: authors, field: "author" }')
  if (through !== undefined) {
    if (name !== undefined || (column !== undefined && column !== key.column))
      throw new Error('"through" names the joining table: remove "field" and "column"')
    return {
      parent,
      column: key.column,
      only,
      through: typeof through === 'string' ? findJoinTable(table, through) : through,
    }
  }
  if (name !== undefined && column !== undefined)
    throw new Error(`"field" and "column" both name the column with the parent's key: remove one of them`)
  if (name === undefined) return { parent, column: column!, only }
  const parentName = typeof given === 'string' ? given : given.name
  const field = fields[name]
  const relationColumn = field && storageColumn(name, field)
  if (relationColumn === undefined) throw new Error(`there is no relation "${name}" with a column of its own`)
  if (findTargetName(field!) !== parentName)
    throw new Error(
      `field "${name}" is not a relation to "${parentName}": name one, or write column: "${relationColumn}" if the column contains its key`,
    )
  return { parent, column: relationColumn, only }
}

const findTargetName = ({ relation, targetName }: Fields[string]): string | undefined =>
  relation?.target.name ?? targetName

// Node runs TypeScript without checking types.
function checkFieldsOption(name: string, { fields }: { readonly fields?: unknown }): void {
  if (typeof fields === 'object' && fields !== null) return
  throw new Error(
    `resource "${name}": the option "fields" is missing: name its fields, as in fields: { id: key(), title: text() }`,
  )
}

// Node runs TypeScript without checking types.
function checkKey(name: string, key: Key): Key {
  const given: unknown = key
  if (Array.isArray(given))
    throw new Error(
      `resource "${name}": key: a resource needs one key column: add a unique column, such as "id", to the table`,
    )
  if (typeof given === 'object') return key
  if (typeof given === 'function')
    throw new Error(`resource "${name}": key is a function: call it, as in ${given.name || 'integerKey'}()`)
  throw new Error(
    `resource "${name}": key: write a key such as integerKey({ column: ${JSON.stringify(given)} }), uuidKey() or textKey()`,
  )
}

const defaultKey = integerKey()
