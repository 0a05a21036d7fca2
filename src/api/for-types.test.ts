// The compiler knows an application's own user type, and refuses parts that were made for another one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isSameUser } from '../core/http/identity.ts'
import type { RowFilter } from '../core/policy/permissions/row-filter.ts'
import { type Scheme, success, type Throttle } from '../extend.ts'
import {
  type Anonymous,
  and,
  anonymous,
  authenticated,
  basicScheme,
  type Caller,
  createApi,
  forTypes,
  type HandlerContext,
  type Identity,
  listView,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  resource,
  staff,
  text,
  tokenScheme,
  type ViewOptions,
} from '../index.ts'

interface Member extends Identity {
  readonly isAuthenticated: true
  readonly id: string
  readonly tenant: string
}
interface Customer extends Identity {
  readonly isAuthenticated: true
  readonly discount: number
}

const member: Member = { isAuthenticated: true, id: 'a', tenant: 'acme', username: 'a', isStaff: false }
const guest: Caller<Member> = { user: { ...member, tenant: '' }, auth: null }
const memberScheme = basicScheme({ verify: async () => member })
const customerScheme = tokenScheme({
  find: async () => ({
    user: { ...anonymous, isAuthenticated: true, discount: 1, isActive: true } as const,
    token: '',
  }),
})
const filter: RowFilter<Member> = {
  where: ({ value }) => value('tenant'),
  values: ({ user: { tenant } }) => ({ tenant }),
}
const sameTenant: Permission<Member> = { filter, allows: ({ user }) => user.tenant !== '' }
const perTenant: Throttle<Member> = { check: ({ user }) => ({ allowed: user.tenant !== '' }) }

const options = { table: 'notes', fields: { text: text() }, hookColumns: ['tenant'] } as const
const declarations = forTypes<Member>()
const notes = declarations.resource('notes', {
  ...options,
  prepare: ({ values, user }) => ({ tenant: user.tenant + values.text }),
})
const tags = resource('tags', options)

test('the user type of an API is known in its schemes, policies, hooks, handlers and observers', () => {
  const plainView: ViewOptions = { name: 'Plain', handlers: { GET: () => ({ status: 204 }) } }
  const resources = [
    notes,
    tags,
    declarations.resource('books', {
      ...options,
      authentication: [memberScheme],
      permissions: [and(authenticated, sameTenant), or(ownerOrReadOnly('tenant'), not({ allows: sameTenant.allows! }))],
      throttles: [perTenant],
      perAction: { list: { permissions: [sameTenant] } },
      validate: ({ user }) => assert.ok(user.tenant),
      beforeSave: ({ user }) => ({ tenant: user.tenant }),
      afterSave: ({ user }) => assert.ok(user.tenant),
      beforeDestroy: ({ user }) => assert.ok(user.tenant),
      afterDestroy: ({ user }) => assert.ok(user.tenant),
      listViews: {
        mine: declarations.listView({ handlers: { GET: ({ user }) => ({ status: 200, body: [user.tenant] }) } }),
        plain: listView({ handlers: { GET: ({ user }) => ({ status: 200, body: [user.username] }) } }),
      },
      objectViews: {
        share: declarations.objectView({
          body: { with: text() },
          handlers: { POST: ({ user, body }) => ({ status: 200, body: [user.tenant, body.with?.length] }) },
        }),
      },
    }),
  ]
  const scheme: Scheme<Member> = { name: 'x', varyOn: [], authenticate: () => success(member) }
  const policies = { authentication: [memberScheme, scheme], permissions: [sameTenant], throttles: [perTenant] }
  const handle = ({ user }: HandlerContext<Member>) => ({ status: 200, body: [user.tenant] })
  const views = {
    '/plain/': plainView,
    '/inline/': {
      name: 'Inline',
      handlers: { GET: ({ user }) => ({ status: 200, body: [user.tenant] }), PUT: handle },
    },
  } satisfies Record<string, ViewOptions<Member>>
  const observe = ({ user }: { readonly user: Member | undefined }) => void user?.tenant
  // Nothing is opened: without a database, the resources are refused when the plugin is registered.
  assert.ok(createApi<Member>({ ...policies, anonymous: guest, resources, views, observe }))
  assert.ok(createApi<Member | Anonymous>({ authentication: [memberScheme, scheme], resources: [tags], views: {} }))
  // With the option "anonymous", the callers are this one and those of the schemes.
  const stranger = { user: { ...anonymous, tenant: '' }, auth: null }
  const strangers = forTypes<Member | typeof stranger.user>().resource('tags', {
    ...options,
    permissions: [{ allows: ({ user }) => user.tenant !== '' }],
  })
  assert.ok(createApi({ authentication: [memberScheme, customerScheme], resources: [tags], anonymous: stranger }))
  assert.ok(
    createApi({
      authentication: [memberScheme],
      resources: [strangers],
      anonymous: stranger,
      permissions: [{ allows: ({ user }) => user.tenant !== '' }],
    }),
  )
  // Policies for any identity also accept a richer one.
  assert.ok(createApi({ authentication: [memberScheme, customerScheme], permissions: [authenticated] }))
  assert.ok(isSameUser(member, 'a'))
})

test('parts that were made for another user type are compile errors', () => {
  // @ts-expect-error the default anonymous caller has no tenant: "anonymous" is missing
  createApi<Member>({ authentication: [memberScheme] })
  // @ts-expect-error the given anonymous caller has no tenant
  createApi<Member>({ anonymous: { user: anonymous, auth: null } })
  // @ts-expect-error the resource does not handle the anonymous caller
  createApi({ authentication: [memberScheme], resources: [notes], anonymous: { user: anonymous, auth: null } })
  // @ts-expect-error the scheme's users have no tenant
  createApi<Member>({ anonymous: guest, authentication: [customerScheme] })
  // @ts-expect-error the resource is for members
  createApi({ resources: [notes] })
  // @ts-expect-error the resource does not handle anonymous callers
  createApi<Member | Anonymous>({ resources: [tags, notes] })
  // @ts-expect-error the resource is for members
  createApi<Customer | Anonymous>({ resources: [notes] })
  // @ts-expect-error the permission is for members
  createApi({ permissions: [authenticated, sameTenant] })
  // @ts-expect-error the throttle is for members
  createApi({ throttles: [perTenant] })
  // @ts-expect-error an anonymous caller has no tenant
  createApi<Member | Anonymous>({ observe: ({ user }) => user?.tenant })
  // @ts-expect-error the handler is for members
  createApi({ views: { '/x/': { name: 'X', handlers: { GET: (_: HandlerContext<Member>) => ({ status: 204 }) } } } })
  // @ts-expect-error the permission is for members
  resource('x', { ...options, permissions: [sameTenant] })
  // @ts-expect-error the combined permission is for members
  resource('x', { ...options, permissions: [and(authenticated, not(sameTenant))] })
  // @ts-expect-error the permission of one action is for members
  resource('x', { ...options, perAction: { list: { permissions: [sameTenant] } } })
  // @ts-expect-error the identity of a plain resource has no tenant
  resource('x', { ...options, prepare: ({ user }) => ({ tenant: user.tenant }) })
  // @ts-expect-error the view is for members
  resource('x', { ...options, listViews: { x: declarations.listView({ handlers: { GET: () => ({ status: 200 }) } }) } })
  // @ts-expect-error the scheme's users have no tenant
  declarations.resource('x', { ...options, authentication: [customerScheme] })
  // @ts-expect-error the permission is for customers
  declarations.resource('x', { ...options, permissions: [{ allows: () => true } as Permission<Customer>] })
  // @ts-expect-error a hook column that is not declared is still an error
  declarations.resource('x', { ...options, hookColumns: [], prepare: () => ({ tenant: '' }) })
  // @ts-expect-error an id is a number, a text or null
  const wrong: Identity = { ...member, id: { sub: 'a' } }
  assert.ok(wrong)
})

interface Tables {
  readonly notes: { id: number; text: string; tenant: string }
}

test('names of tables and columns that do not exist are compile errors', () => {
  const typed = forTypes<Identity, Tables>()
  const fields = { text: text() }
  const open: Permission<Identity, never> = { allows: () => true }
  assert.ok(
    typed.resource('notes', {
      table: 'notes',
      fields,
      ordering: ['-text', 'tenant'],
      permissions: [
        authenticated,
        or(staff, open, { allows: () => true }, ownerOrReadOnly('tenant')),
        and(
          typed.rowFilter(({ row, caller }) => sql`${row.tenant} = ${caller.username}`),
          not(staff),
        ),
      ],
      hookColumns: ['tenant'],
      beforeSave: async ({ connection: { kysely } }) => {
        const rows = await kysely.selectFrom('notes').select('tenant').execute()
        const tenants: readonly string[] = rows.map(({ tenant }) => tenant)
        return { tenant: tenants.join() }
      },
      objectViews: {
        move: typed.objectView({
          columns: ['tenant'],
          // @ts-expect-error the view does not read this column
          handlers: { POST: ({ object }) => ({ status: 200, body: [object.tenant, object.text] }) },
        }),
      },
    }),
  )
  const mistakes = [
    // @ts-expect-error
    () => typed.resource('notes', { table: 'note', fields }),
    // @ts-expect-error
    () => typed.resource('notes', { table: 'notes', fields, ordering: ['-texts'] }),
    // @ts-expect-error
    () => typed.resource('notes', { table: 'notes', fields, key: 'key' }),
    // @ts-expect-error
    () => typed.resource('notes', { table: 'notes', fields, hookColumns: ['tenants'] }),
    // @ts-expect-error
    () => typed.resource('notes', { table: 'notes', fields, permissions: [or(staff, ownerOrReadOnly('owner'))] }),
    () =>
      typed.resource('notes', {
        table: 'notes',
        fields,
        // @ts-expect-error
        afterSave: async ({ connection }) => void (await connection.kysely.deleteFrom('note').execute()),
      }),
  ]
  assert.equal(mistakes.length, 6)
})
