import type { Identity } from '../authentication/identity.ts'
import { computed, type DefineComputed } from '../fields/computed.ts'
import { type DefineRowFilter, rowFilter } from '../permissions/built-in-permissions.ts'
import { type DefineResource, resource } from './define-resource.ts'
import { type DefineListView, type DefineObjectView, listView, objectView } from './views.ts'

/** The functions that declare resources of an API whose callers are of the type `User`, and their parts. */
export interface Declarations<User extends Identity> {
  readonly resource: DefineResource<User>
  readonly listView: DefineListView<User>
  readonly objectView: DefineObjectView<User>
  readonly computed: DefineComputed<User>
  readonly rowFilter: DefineRowFilter<User>
}

/**
 * The functions `resource`, `listView`, `objectView`, `computed` and `rowFilter` for an application's own user type, which
 * their hooks, handlers, policies and SQL then receive.
 *
 * @example
 * const { resource } = forUser<Member>()
 * const notes = resource('notes', {
 *   table: 'notes',
 *   fields: { text: text() },
 *   hookColumns: ['tenant'],
 *   prepare: ({ user }) => ({ tenant: user.tenant }),
 * })
 */
export const forUser = <User extends Identity>(): Declarations<User> => declarations as unknown as Declarations<User>

// They never read the caller, so they are the same for every type of user.
const declarations: Declarations<Identity> = Object.freeze({
  resource,
  listView,
  objectView,
  computed,
  rowFilter,
})
