// The saved views of lists: a name for their filters, order and columns, for its owner or for all who may open the list. Pages show
// them, and read and write them by this resource.

import { sql } from 'kysely'
import {
  type ApiResponse,
  authenticated,
  type Connection,
  type Database,
  type Identity,
  NotFound,
  type ObjectContext,
  objectView,
  or,
  ownerOrReadOnly,
  type Permission,
  pageNumber,
  type Resource,
  resource,
  text,
  ValidationError,
  via,
} from '#core'
import { formatViewUrl, listOpenLists, savedViewsName } from '#pages'
import { accountMessages } from '../messages.ts'
import { superuser } from '../superuser.ts'
import { accountsKysely, savedViewTable } from '../tables.ts'
import { findAccountId, requireAccountId } from '../user.ts'

/** The most views of a user. */
const maxViews = 50

/** Creates the resource. A view that another user shares exists for callers who may open its list. */
export const savedViews = ({ dialect }: Pick<Database, 'dialect'>): Resource =>
  resource(savedViewsName, {
    table: savedViewTable,
    noStore: true,
    description: accountMessages('about.saved_views'),
    pages: {
      names: { one: accountMessages('name.saved_views.one'), many: accountMessages('name.saved_views.many') },
      columns: ['list', 'query', 'is_shared', 'owner'],
    },
    // They are preferences of people: no client needs them, and nobody audits them.
    openapi: false,
    auditEvent: null,
    objectName: 'name',
    ordering: ['name'],
    // `validate` says more about a name that is taken.
    uniqueTogether: [],
    searchFields: ['name'],
    pagination: pageNumber({ pageSize: 100, count: 'none' }),
    permissions: [authenticated, ownAccount, ownOrShared(dialect), or(superuser, ownerOrReadOnly())],
    fields: {
      ...savedViewTable.pick('id', 'name', 'list', 'query', 'is_shared'),
      owner: text({ source: via('user_id', 'users', 'username'), label: accountMessages('label.owner') }),
    },
    perAction: { update: { takes: ['name', 'query', 'is_shared'] } },
    async validate(context) {
      const { values, given, before, key, user, request, connection } = context
      if (values.is_shared && given.is_shared && !user.isStaff)
        throw new ValidationError({ is_shared: accountMessages('saved_view.not_staff') })
      if (before === undefined && request !== undefined) {
        const lists = await listOpenLists({ ...context, request, method: 'GET' })
        if (!lists.has(values.list)) throw new ValidationError({ list: accountMessages('saved_view.no_list') })
      }
      const others = await readOthers(key, user, connection)
      if (others.some(({ name, list }) => name === values.name && list === values.list))
        throw new ValidationError({ name: accountMessages('unique.saved_view') })
      if (before === undefined && others.length >= maxViews)
        throw new ValidationError(accountMessages('saved_view.too_many', { max: maxViews }))
    },
    objectViews: {
      open: objectView({
        pageActions: { GET: { label: accountMessages('action.open_view') } },
        columns: ['list', 'query', 'id'],
        handlers: { GET: openView },
      }),
    },
  })

const ownAccount: Permission = {
  authenticated: 'always',
  allows: ({ user }) => findAccountId(user) !== null,
}

const ownOrShared = (dialect: Database['dialect']): Permission => ({
  filter: {
    where: ({ column, value }) =>
      sql`(${column('user_id')} = ${value('caller')} or (${column('is_shared')} and ${dialect.isOneOf(column('list'), value('lists'))}))`,
    values: async context => ({
      caller: findAccountId(context.user),
      lists: dialect.formatList([...(await listOpenLists(context)).keys()]),
    }),
  },
})

// The other views of the owner.
async function readOthers(id: number | undefined, user: Identity, connection: Connection) {
  const tables = accountsKysely(connection)
  const own =
    id === undefined
      ? undefined
      : await tables.selectFrom('saved_views').select('user_id').where('id', '=', id).executeTakeFirst()
  const others = tables
    .selectFrom('saved_views')
    .select(['name', 'list'])
    .where('user_id', '=', own?.user_id ?? requireAccountId(user))
    .where('id', '!=', id ?? 0)
    .limit(maxViews)
  return others.execute()
}

// The caller sees the page of the view if its list is gone, and can delete the view there.
async function openView({ object, ...context }: ObjectContext): Promise<ApiResponse> {
  const { key } = context
  const { list, query } = object as { readonly list: string; readonly query: string }
  const href = (await listOpenLists(context)).get(list)
  if (href === undefined) throw new NotFound(accountMessages('saved_view.no_list'))
  return { status: 303, headers: { location: formatViewUrl({ id: Number(key), query }, href) } }
}
