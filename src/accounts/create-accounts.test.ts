import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { memoryStore, openSqlite } from 'resource-api'
import type { AccountsOptions } from './accounts-options.ts'
import { createAccounts } from './create-accounts.ts'

const database = openSqlite({ path: ':memory:' })
after(() => database.close())
const secret = 'x'.repeat(40)

const wrong: readonly [options: Partial<Record<keyof AccountsOptions, unknown>>, message: RegExp][] = [
  [{ secret: undefined }, /createAccounts\(\): secret is missing: set it to 32 random characters or more/],
  [{ secret: 'short' }, /The secret has 5 characters; use at least 32 random characters/],
  [{ tokens: { kind: 'named', forNewUsers: true } }, /tokens\.forNewUsers must be false if tokens\.kind is "named"/],
  [{ authentication: ['remote-user'] }, /the scheme "remote-user" needs the option "remoteUser", such as/],
  [
    { authentication: ['remote-user'], remoteUser: {} },
    /the option "remoteUser" must have either "header" or "identify"/,
  ],
  [{ authentication: ['jwt'] }, /there is no scheme "jwt": the schemes are token, session, basic, remote-user/],
  [{ apiPath: '/api/' }, /apiPath must begin with a slash and not end with one, such as "\/api", not "\/api\/"/],
  [{ apiPath: 'api' }, /apiPath must begin with a slash and not end with one, such as "\/api", not "api"/],
  [{ tokens: { kind: 'named', lifetime: 0 } }, /tokens\.lifetime is 0: use a whole number from 1 to 3155760000/],
  [{ tokens: { kind: 'named', maxTokens: 1.5 } }, /tokens\.maxTokens is 1\.5: use a whole number/],
  [{ audit: { retention: -1 } }, /audit\.retention is -1: use a whole number from 1 to 36500/],
  [{ sessions: { lifetime: 1 } }, /lifetime is 1; use a whole number of seconds from 60/],
]

test('a mistyped option is an error that says the fix', () => {
  assert.throws(() => createAccounts({ database, secret, loginThrotle: {} } as AccountsOptions), {
    message: 'createAccounts(): there is no option "loginThrotle": write "loginThrottle"',
  })
})

for (const [options, message] of wrong)
  test(`wrong options are an error that says the fix: ${JSON.stringify(options)}`, () => {
    assert.throws(() => createAccounts({ database, secret, ...options } as AccountsOptions), { message })
  })

test('there are login views only if sessions are used', () => {
  const paths = (options: Partial<AccountsOptions>) =>
    Object.keys(createAccounts({ database, secret, ...options }).views)
  const own = ['tokens/', 'tokens/revoke/', 'sessions/', 'sessions/end/', 'password/']
  assert.deepEqual(paths({}), ['/api-token-auth/', ...[...own, 'login/', 'logout/'].map(path => `/api-auth/${path}`)])
  assert.deepEqual(paths({ authentication: ['token'] }), ['/api-token-auth/'])
  assert.deepEqual(paths({ loginPath: null, tokenPath: '/token/' }), ['/token/'])
})

test('the links of the pages begin with the path of the API', () => {
  const { login } = createAccounts({ database, secret, apiPath: '/api', loginPath: '/auth/' })
  assert.deepEqual([login?.loginPath, login?.logoutPath], ['/api/auth/login/', '/api/auth/logout/'])
})

test('the table of counts is needed only without a store of the application', () => {
  const owners = (options: Partial<AccountsOptions>) =>
    createAccounts({ database, secret, ...options }).migrations.map(({ owner }) => owner)
  assert.deepEqual(owners({}), ['accounts', 'audit', 'throttles'])
  assert.deepEqual(owners({ rateStore: memoryStore() }), ['accounts', 'audit'])
})

test('schemes have the given order', () => {
  const { schemes, apiOptions } = createAccounts({ database, secret })
  assert.deepEqual(
    schemes('basic', 'token').map(({ name }) => name),
    ['basic', 'token'],
  )
  assert.deepEqual(
    apiOptions.authentication.map(({ name }) => name),
    ['token', 'session', 'basic'],
  )
})
