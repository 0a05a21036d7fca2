// Users register and log in, read and change their own account, and follow each other. Everyone reads profiles.

import { AuthenticationFailed, authenticated, memoryStore, text, writeOnly } from 'resource-api'
import { createLoginThrottle, hashPassword, verifyPassword } from 'resource-api/accounts'
import { caller, exists } from 'resource-api/tables'
import { callerRowView } from './caller-rows.ts'
import { accounts, computed, listView, resource } from './tables.ts'
import { signToken } from './tokens.ts'

/** Hooks get the password, and store its hash. */
const password = writeOnly(text({ max: 200, trim: false }), { stored: false })

/** The account of the caller. It contains the token, which is a secret, so no cache may store it. */
const account = {
  table: accounts,
  fields: {
    ...accounts.pick('email'),
    token: computed({
      columns: ['id', 'password_hash'],
      values: rows => Promise.all(rows.map(row => signToken({ id: Number(row.id), hash: String(row.password_hash) }))),
    }),
    ...accounts.pick('username', 'bio', 'image'),
    password,
  },
  envelope: { one: 'user' },
  noStore: true,
  hookColumns: ['password_hash'],
  normalize,
  prepare,
} as const

interface Values {
  readonly email?: string
  readonly bio?: string | null
  readonly image?: string | null
}

/** Addresses that differ only in case are one account. An empty bio or image is none. */
function normalize<Sent extends Values>(values: Sent) {
  return {
    ...values,
    ...(values.email !== undefined && { email: values.email.toLowerCase() }),
    ...(values.bio === '' && { bio: null }),
    ...(values.image === '' && { image: null }),
  }
}

async function prepare({ given: { password } }: { readonly given: { readonly password?: string } }) {
  return password === undefined ? {} : { password_hash: await hashPassword(password) }
}

const loginThrottle = createLoginThrottle({ store: memoryStore() })

/** POST /users registers a user, and POST /users/login logs one in. Both respond with the account. */
export const users = resource('users', {
  ...account,
  actions: ['create'],
  listViews: {
    login: listView({
      body: { email: text(), password },
      response: 'representation',
      handlers: {
        async POST({ database: { kysely }, request, body, represent }) {
          const [email, password] = [body.email.toLowerCase(), body.password]
          const user = await loginThrottle.guard(request, email, async () => {
            const columns = ['id', 'password_hash'] as const
            const found = await kysely.selectFrom('users').select(columns).where('email', '=', email).executeTakeFirst()
            return (await verifyPassword(password, found?.password_hash ?? null)) ? found : undefined
          })
          if (user === undefined) throw new AuthenticationFailed('invalid', 'credentials')
          return represent(user.id)
        },
      },
    }),
  },
})

/** GET and PUT /user: the account of the caller. */
export const user = resource('user', {
  ...account,
  singleton: ({ caller }) => caller.id,
  actions: ['retrieve', 'update'],
  put: 'partial',
  permissions: [authenticated],
})

/** GET /profiles/ada, and POST and DELETE /profiles/ada/follow. */
export const profiles = resource('profiles', {
  table: accounts,
  lookup: 'username',
  fields: {
    ...accounts.pick('username', 'bio', 'image'),
    following: exists('followers', { follower: caller('id') }),
  },
  actions: ['retrieve'],
  envelope: { one: 'profile' },
  objectViews: { follow: callerRowView({ table: 'follows', user: 'follower_id', object: 'followed_id' }) },
})
