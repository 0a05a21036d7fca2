// Which requests a throttle counts together: those of one identity, or of one address for callers without a primary key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiOptions,
  databaseStore,
  memoryStore,
  scopedThrottle,
  throttleMigrations,
  userThrottle,
} from 'resource-api'
import { type RateStore, type Scheme, skip, success } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'

/** The header `x-id` is the caller's id in JSON; `undefined` stands for a user without the property. */
const idScheme: Scheme = {
  name: 'id',
  varyOn: ['x-id'],
  authenticate({ headers }) {
    const json = headers['x-id']
    if (json === undefined) return skip
    return success({ isAuthenticated: true, id: parseId(String(json)), username: 'somebody', isStaff: false })
  },
}

const parseId = (json: string) => (json === 'undefined' ? undefined : JSON.parse(json))

const createOptions = (store: RateStore): ApiOptions => ({
  authentication: [idScheme],
  views: Object.fromEntries(
    ['user', 'uploads'].map(name => [
      `/${name}/`,
      {
        name,
        throttles: [
          name === 'user'
            ? userThrottle({ rates: '2/day', store })
            : scopedThrottle({ scope: 'uploads', rates: '2/day', store }),
        ],
        handlers: { GET: () => ({ status: 200, body: {} }) },
      },
    ]),
  ),
})

/** Ids that must not share a rate; some look like the keys of other callers. */
const ids: readonly (string | number)[] = [
  1,
  '1',
  '"1"',
  ' 1',
  '1 ',
  '',
  'user 1',
  'null',
  'undefined',
  'unknown',
  '192.0.2.1',
  '2001:db8:0:0::/64',
  'user 86400000 user 1',
  "1' or '1'='1",
  'x\nuser 1',
  '\ud800',
  '\ud801',
  'é',
  'e\u0301',
  'a'.repeat(4000),
  `${'a'.repeat(4000)}b`,
]

for (const [name, createStore] of [
  ['memory', () => memoryStore()],
  ['database', databaseStore],
] as const)
  onEachDatabase(
    database => createOptions(createStore(database)),
    api => {
      // Escaped, because a header field has only Latin-1 characters.
      const format = (id: unknown) =>
        JSON.stringify(id)?.replace(
          /[^ -~]/g,
          character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
      const request = async (path: string, address: string, id?: unknown) => {
        const identity: Record<string, string> =
          id === undefined ? {} : { 'x-id': id === 'none' ? 'undefined' : format(id)! }
        const response = await api().client.get(path, { headers: { ...identity, 'x-forwarded-for': address } })
        return response.status
      }

      for (const path of ['/user/', '/uploads/']) {
        test(`LIM-THR-p1: an identity is counted across addresses, and shares its rate with no other one (${name}, ${path})`, async () => {
          for (const id of ids) {
            const statuses = []
            for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
              statuses.push(await request(path, address, id))
            assert.deepEqual(statuses, [200, 200, 429], format(id))
          }
          // No identity has used the rate of an address.
          for (const status of [200, 200, 429]) assert.equal(await request(path, '192.0.2.1'), status)
        })

        test(`LIM-THR-p1: an identity without a primary key is counted by its address (${name}, ${path})`, async () => {
          for (const [id, address] of [
            [null, '192.0.2.11'],
            ['none', '192.0.2.12'],
          ] as const) {
            for (const status of [200, 200, 429]) assert.equal(await request(path, address, id), status)
            assert.equal(await request(path, `${address}0`, id), 200)
          }
        })
      }
    },
    { migrations: throttleMigrations.steps, trustProxy: '127.0.0.1' },
  )
