// Node does not check types. A value that is not a policy is an error at start, because a wrong permission would let every
// caller in.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  type ApiOptions,
  and,
  anonThrottle,
  authenticated,
  createApi,
  not,
  openDatabase,
  or,
  ownerOrReadOnly,
  type Permission,
  resource,
  rowFilter,
  text,
} from 'resource-api'

const handlers = { GET: () => ({ status: 200 }) }
const declare = (options: object) => resource('notes', { table: 'notes', fields: { body: text() }, ...options })

/** Each place in which policies are declared: what its errors begin with, and the declaration. */
const places: readonly (readonly [string, (policies: object) => unknown])[] = [
  ['createApi(): ', policies => createApi(policies as ApiOptions)],
  ['view "Health": ', policies => createApi({ views: { '/health/': { name: 'Health', handlers, ...policies } } })],
  ['view "Root": ', policies => createApi({ root: { name: 'Root', handlers, ...policies } })],
  [
    'view "Health": GET: ',
    policies =>
      createApi({
        views: { '/health/': { name: 'Health', handlers: { GET: { handle: handlers.GET, ...policies } } } },
      }),
  ],
  ['resource "notes": ', declare],
  ['resource "notes": perAction.create: ', policies => declare({ perAction: { create: policies } })],
  ['resource "notes": the view "recent": ', policies => declare({ listViews: { recent: { handlers, ...policies } } })],
  ['resource "notes": the view "share": ', policies => declare({ objectViews: { share: { handlers, ...policies } } })],
  [
    'resource "notes": the view "share": POST: ',
    policies => declare({ objectViews: { share: { handlers: { POST: { handle: handlers.GET, ...policies } } } } }),
  ],
  [
    'resource "notes": listMethods: PUT: ',
    policies => declare({ listMethods: { handlers: { PUT: { handle: handlers.GET, ...policies } } } }),
  ],
]

/** Values that are not permissions, and the rest of the error that each causes in a list. */
const wrongPermissions: readonly (readonly [unknown, string])[] = [
  [
    'authenticated',
    ' is "authenticated": write a permission, such as authenticated or { allows: ({ user }) => user.isStaff }',
  ],
  [undefined, ' is undefined: write a permission, such as authenticated or { allows: ({ user }) => user.isStaff }'],
  [[authenticated], ' is a list: write a permission, such as authenticated or { allows: ({ user }) => user.isStaff }'],
  [
    () => false,
    ' is a function: write a permission, such as authenticated or { allows: ({ user }) => user.isStaff }; call the function first if it creates a permission',
  ],
  [{ allow: () => false }, ': there is no option "allow": write "allows"'],
  [{}, ' decides nothing: give it "allows", "allowsObject" or "filter", or write allowAny'],
  [{ message: 'No' }, ' decides nothing: give it "allows", "allowsObject" or "filter", or write allowAny'],
  [{ allows: false }, ': "allows" must be a function, such as allows: ({ user }) => user.isStaff'],
  [{ allowsObject: () => true, columns: 'owner_id' }, ': "columns" must be a list: write ["owner_id"]'],
  [{ filter: () => '1' }, ': "filter" must have the functions "where" and "values": create it with rowFilter()'],
]

/** Other wrong policies, and the error without its beginning. */
const wrongPolicies: readonly (readonly [object, string])[] = [
  [
    { permissions: authenticated },
    'permissions must be a list: write permissions: [authenticated or { allows: ({ user }) => user.isStaff }]',
  ],
  [{ throttles: '5/day' }, "throttles must be a list: write throttles: [userThrottle({ rates: '1000/day', store })]"],
  [
    { throttles: [anonThrottle] },
    "throttles[0] is a function: write a throttle, such as userThrottle({ rates: '1000/day', store }); call the function first if it creates a throttle",
  ],
  [{ throttles: [{}] }, 'throttles[0] has no function "check": add it'],
  [{ parsers: ['json'] }, 'parsers[0] is "json": write a parser, such as jsonParser()'],
  [{ parsers: [{ mediaType: 'text/csv' }] }, 'parsers[0] has no function "parse": add it'],
  [{ renderers: ['json'] }, 'renderers[0] is "json": write a renderer, such as jsonRenderer'],
  [{ renderers: [{ canRender: () => true }] }, 'renderers[0] has no function "render": add it'],
]

const wrongAuthentication: readonly (readonly [unknown, string])[] = [
  ['token', 'authentication must be a list: write authentication: [tokenScheme({ find })]'],
  [['token'], 'authentication[0] is "token": write a scheme, such as tokenScheme({ find })'],
  [[{ name: 'own' }], 'authentication[0] has no function "authenticate": add it'],
  [
    [{ name: 'own', authenticate: () => undefined }],
    'authentication[0] has no list "varyOn": name the header fields that it reads: ["authorization"]',
  ],
]

for (const [where, declareWith] of places)
  suite(`wrong policies of ${where.replace(/: $/, '')} are errors at start`, () => {
    for (const [index, [permission, message]] of wrongPermissions.entries())
      test(`permission ${index}${message}`, () =>
        assert.throws(() => declareWith({ permissions: [authenticated, permission] }), {
          message: `${where}permissions[1]${message}`,
        }))
    for (const [policies, message] of wrongPolicies)
      test(message, () => assert.throws(() => declareWith(policies), { message: where + message }))
    test('a misspelt option', () =>
      assert.throws(() => declareWith({ permision: [] }), {
        message: /there is no option "permision": write "permissions"/,
      }))
  })

test('wrong schemes are errors at start, wherever a view can have its own', () => {
  for (const [where, declareWith] of places.filter(([place]) => !/GET|POST|PUT|perAction/.test(place)))
    for (const [authentication, message] of wrongAuthentication)
      assert.throws(() => declareWith({ authentication }), { message: where + message })
})

test('a view below a list is checked too if a view below objects has the same name', () => {
  const objectViews = { share: { handlers } }
  const declareWith = (share: object) => declare({ listViews: { share: { handlers, ...share } }, objectViews })
  declareWith({})
  assert.throws(() => declareWith({ permision: [] }), { message: /there is no option "permision"/ })
  assert.throws(() => declareWith({ permissions: authenticated }), { message: /permissions must be a list/ })
  assert.throws(() => declareWith({ path: 'a b' }), { message: /the view "share": path: write segments/ })
  const database = openDatabase('sqlite::memory:')
  const resources = [declareWith({ idempotent: true })]
  assert.throws(() => createApi({ database, resources }), { message: /view "share".* is idempotent/ })
})

test('a paginator that is none is an error at start', () => {
  for (const [where, declareWith] of places.filter(([place]) => /^(createApi\(\)|resource "notes"): $/.test(place)))
    for (const [pagination, message] of [
      [5, 'pagination is 5: write a paginator, such as pageNumber({ pageSize: 100 })'],
      [{ pageSize: 5 }, 'pagination has no function "plan": add it'],
    ] as const)
      assert.throws(() => declareWith({ pagination }), { message: where + message })
})

test('a handler that is not a function is an error at start', () => {
  for (const GET of [undefined, 'handle', { permissions: [authenticated] }])
    assert.throws(() => createApi({ views: { '/health/': { name: 'Health', handlers: { GET } } } } as never), {
      message: 'view "Health": GET needs a function: write (context) => …, or { handle: (context) => … }',
    })
  assert.throws(() => createApi({ views: { '/health/': { name: 'Health' } } } as never), {
    message: 'view "Health" needs "handlers": write handlers: { GET: … }',
  })
})

test('and(), or() and not() refuse what is not a permission', () => {
  for (const [name, combine] of Object.entries({ and, or, not: (_: Permission, wrong: Permission) => not(wrong) }))
    for (const [permission, message] of wrongPermissions)
      assert.throws(() => combine(authenticated, permission as Permission), {
        message: `${name}(): argument ${name === 'not' ? 1 : 2}${message}`,
      })
})

test('permissions of each form are accepted, also an instance of a class', () => {
  class Owner implements Permission {
    readonly columns = ['owner_id']
    readonly role: string = 'owner'
    allowsObject = () => true
    allows() {
      return this.role !== ''
    }
  }
  const owned = rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id}`)
  declare({
    permissions: [
      authenticated,
      ownerOrReadOnly('owner_id'),
      owned,
      new Owner(),
      not(and(authenticated, or(authenticated))),
    ],
  })
})
