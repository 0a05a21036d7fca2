import type { Identity } from '../authentication/identity.ts'
import type { AnyTables } from '../database/database.ts'
import type { DefineView } from '../declared-view.ts'
import { view } from '../define-view.ts'
import { computed, type DefineComputed } from '../fields/computed.ts'
import { type DefineRowFilter, rowFilter } from '../permissions/built-in-permissions.ts'
import { type DefineResource, resource } from './define-resource.ts'
import { type DefineFilter, filter } from './filters/custom-filter.ts'
import { type DefineListView, type DefineObjectView, listView, objectView } from './views.ts'

/**
 * The functions that declare resources of an API whose callers are of the type `User`, and their parts. `Tables`: the
 * columns of each table of the database, as Kysely takes them.
 */
export interface Declarations<User extends Identity, Tables = AnyTables> {
  readonly resource: DefineResource<User, Tables>
  readonly listView: DefineListView<User, Tables>
  readonly objectView: DefineObjectView<User, Tables>
  readonly view: DefineView<User>
  readonly computed: DefineComputed<User>
  readonly rowFilter: DefineRowFilter<User>
  readonly filter: DefineFilter<User>
}

/**
 * The functions `resource`, `listView`, `objectView`, `view`, `computed`, `rowFilter` and `filter` for an application's own user type, which
 * their hooks, handlers, policies and SQL then receive, and for its tables: names of tables and columns are then checked,
 * and queries of hooks and handlers are typed.
 *
 * @example
 * const { resource } = forTypes<Member, { notes: { id: number; text: string; tenant: string } }>()
 * const notes = resource('notes', {
 *   table: 'notes',
 *   fields: { text: text() },
 *   hookColumns: ['tenant'],
 *   prepare: ({ user }) => ({ tenant: user.tenant }),
 * })
 */
export const forTypes = <User extends Identity, Tables = AnyTables>(): Declarations<User, Tables> =>
  declarations as unknown as Declarations<User, Tables>

// They never read the caller, so they are the same for every type of user.
const declarations: Declarations<Identity> = Object.freeze({
  resource,
  listView,
  objectView,
  view,
  computed,
  rowFilter,
  filter,
})
