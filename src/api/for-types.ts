import {
  type AnySchema,
  type AnyTables,
  computed,
  count,
  type DefineComputed,
  type DefineFilter,
  type DefineLatest,
  type DefineListView,
  type DefineObjectView,
  type DefineRelated,
  type DefineResource,
  type DefineRowFilter,
  type DefineSum,
  type DefineView,
  type DefineWhere,
  type Envelope,
  exists,
  filter,
  type Identity,
  latest,
  listView,
  objectView,
  type Paginator,
  type Resource,
  type ResourceTypes,
  resource,
  rowFilter,
  sum,
  type TablesOf,
  view,
  where,
} from '#core'
import { type ApiPlugin, createApi } from './api.ts'
import type { AnonymousOption, ApiOptions } from './api-options.ts'
import type { DeclaredApi, TypedOptions } from './api-types.ts'

/**
 * The functions that declare resources of an API whose callers are of the type `User`, and their parts. `Tables`: the
 * columns of each table of the database, as Kysely takes them.
 */
export interface Declarations<User extends Identity, Tables = AnyTables, S extends AnySchema = AnySchema> {
  readonly resource: DefineResource<User, Tables, S>
  readonly listView: DefineListView<User, Tables>
  readonly objectView: DefineObjectView<User, Tables>
  readonly view: DefineView<User, Tables>
  readonly computed: DefineComputed<User, Tables>
  readonly rowFilter: DefineRowFilter<User, Tables, S>
  readonly filter: DefineFilter<User, Tables>
  readonly where: DefineWhere<User, S>
  readonly count: DefineRelated<number, User, S>
  readonly exists: DefineRelated<boolean, User, S>
  readonly sum: DefineSum<User, S>
  readonly latest: DefineLatest<User, S>
  readonly createApi: CreateApi<User>
}

/** `createApi` for callers of the type `User`. TypeScript infers the other types, so clients know the resources. */
export type CreateApi<User extends Identity> = <
  const Resources extends readonly Resource<string, ResourceTypes, User>[] = readonly Resource<
    string,
    ResourceTypes,
    User
  >[],
  Views = unknown,
  Pages extends Paginator | undefined = Paginator | undefined,
  const Around extends Envelope | undefined = Envelope | undefined,
  const Renamed = unknown,
>(
  options: ApiOptions<User> & AnonymousOption<User> & TypedOptions<Resources, Views, Pages, Around, Renamed>,
) => ApiPlugin<DeclaredApi<Resources, Views, Pages, Around, Renamed>>

/**
 * The functions `resource`, `listView`, `objectView`, `view`, `computed`, `rowFilter`, `filter` and `createApi` for an application's own
 * user type, which their hooks, handlers, policies and SQL then receive, and for its tables: names of tables and columns are then
 * checked, and queries of hooks and handlers are typed. `Tables`: the type of the declared tables, or the columns of each table.
 *
 * @example
 * const { resource, createApi } = forTypes<Member, { notes: { id: number; text: string; tenant: string } }>()
 * const notes = resource('notes', {
 *   table: 'notes',
 *   fields: { text: text() },
 *   hookColumns: ['tenant'],
 *   prepare: ({ user }) => ({ tenant: user.tenant }),
 * })
 */
export const forTypes = <User extends Identity, Tables = AnyTables>(): Declarations<
  User,
  RowsOf<Tables>,
  SchemaOf<Tables>
> => declarations as never

// Any, because a declaration file names this type, and `AnySchema` is private.
type SchemaOf<Tables> = Tables extends AnySchema ? Tables : AnyTables

/** The columns of each table: of declared ones, or as the application writes them. */
type RowsOf<Tables> = Tables extends AnySchema ? TablesOf<Tables> : Tables

// They never read the caller, so they are the same for every type of user.
const declarations: Declarations<Identity> = Object.freeze({
  resource,
  listView,
  objectView,
  view,
  computed,
  rowFilter,
  filter,
  where,
  count,
  exists,
  sum,
  latest,
  createApi: createApi as never,
})
