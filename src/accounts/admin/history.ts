// The view `history` of an object of the administration lists its changes, with their time and the user who made them. Staff who
// may see and change the object may read it.

import {
  type Caller,
  type ChangedValue,
  type Connection,
  choice,
  type Database,
  dateTime,
  type Field,
  type Identity,
  integer,
  json,
  type KeyValue,
  list,
  nameOnWire,
  type ObjectContext,
  type ObjectView,
  object,
  objectView,
  type Permission,
  type Resource,
  text,
} from '#core'
import { createStoredChanges, type LastChange, type StoredChange, shortenChange } from '../audit/object-history.ts'
import { accountMessages } from '../messages.ts'
import { permissionsAs } from './permissions-as.ts'

const pageSize = 20

/** The fields of a change, as responses show it. */
export const changeFields = {
  id: integer({ max: Number.MAX_SAFE_INTEGER }),
  created: dateTime(),
  event: text(),
  user: text({ nullable: true }),
  action: choice(['create', 'update', 'destroy']),
  changes: json(),
}

/** The id of a change, which is read alone and in full. */
export const changeId = integer({
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  required: false,
  help: accountMessages('help.change'),
})

/** Rejects with PermissionDenied if a hook of the resource would refuse every change of the object by the caller. */
export type CheckChange = (caller: Identity, key: KeyValue, connection: Connection) => Promise<void>

/** Adds the view `history` to a resource whose objects can be changed, unless it has one already. */
export function addHistory(resource: Resource, database: Database, checkChange?: CheckChange): Resource {
  const { actions, singleton, objectViews = {} } = resource
  if (!actions.includes('update') || singleton !== undefined || Object.hasOwn(objectViews, 'history')) return resource
  const view = createHistoryView(resource, database, { permissions: permissionsAs('PATCH', resource), checkChange })
  return { ...resource, objectViews: { ...objectViews, history: view } }
}

function createHistoryView(
  resource: Resource,
  database: Database,
  {
    permissions,
    checkChange,
  }: { readonly permissions: readonly Permission[]; readonly checkChange: CheckChange | undefined },
): ObjectView {
  const stored = createStoredChanges(database)
  return objectView({
    description: accountMessages('about.history'),
    pageActions: { GET: { label: accountMessages('name.history') } },
    permissions,
    auditEvent: null,
    query: {
      before: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, required: false, help: accountMessages('help.before') }),
      change: changeId,
    },
    response: { next: text({ nullable: true }), results: list({ of: object({ fields: changeFields }) }) },
    handlers: {
      async GET(context) {
        const { key, query, user } = context
        if (checkChange) await database.transaction(connection => checkChange(user, key, connection))
        const { table } = resource
        const { before, change: id } = query
        const found = await stored.read({ table, key: String(key), before, id, limit: pageSize + 1 })
        const shown = found.slice(0, pageSize).map(id === undefined ? shortenChange : change => change)
        const next = found.length > pageSize ? formatNext(context, shown.at(-1)!) : null
        return { next, results: shown.map(change => toStored(showChange(resource, context, change))) }
      },
    },
  })
}

const formatNext = ({ request, baseUrl, view }: ObjectContext, { id }: StoredChange): string =>
  `${baseUrl}${request.url.split('?', 1)[0]!.slice(view.prefix.length)}?before=${id}`

const toStored = ({ resource: _, object_key: __, object_name: ___, ...change }: LastChange): StoredChange => change

/** Shows only fields that the caller sees, by the names in representations. A change may be of another resource with the same table. */
export function showChange(
  { fields }: Pick<Resource, 'fields'>,
  { user, auth, version }: Caller,
  { changes, ...change }: LastChange,
): LastChange {
  const isShown = (field: Field | undefined) =>
    field !== undefined && field.visible?.({ user, auth, version }) !== false
  const shown = Object.entries(changes)
    .filter(([name]) => isShown(fields[name]))
    .map(([name, value]): readonly [string, ChangedValue] => [nameOnWire(name, fields[name]!), value])
  return { ...change, changes: Object.fromEntries(shown) }
}
