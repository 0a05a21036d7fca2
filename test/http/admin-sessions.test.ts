// Session administration: the staff list active sessions and end them.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createPeople, type People } from '../support/administration.ts'
import { onEitherService } from '../support/service.ts'
import { countRows } from '../support/tables.ts'

const url = '/admin/sessions/'
let now = new Date('2030-01-01T00:00:00.000Z')
const clock = () => now
const advanceClock = (seconds: number) => {
  now = new Date(now.getTime() + 1000 * seconds)
}

for (const [suiteName, options, expires] of [
  ['with a lifetime', { sessionLifetime: 3600 }, '2030-01-01T01:00:00.000000Z'],
  ['with an idle time', { sessionLifetime: 3600, sessionIdleTime: 600 }, '2030-01-01T00:10:00.000000Z'],
] as const) {
  suite(suiteName, () => {
    onEitherService(
      { profiles: ['directory'], ...options },
      service => {
        let people: People
        let token: string
        beforeEach(async () => {
          now = new Date('2030-01-01T00:00:00.000Z')
          people = await createPeople(service())
          token = people.root.key
        })

        const startSession = async (name: keyof People) => {
          const { sessions } = service().services.accounts
          const id = (await sessions.start((people[name] as { id: number }).id))!
          const { results } = (await service().client.get(url, { token })).json()
          return { id, key: results.find(({ username }: { username: string }) => username === name)?.id as number }
        }

        test('AUTH-SCH-r3: the list shows user, start and expiry of each session, but neither session id nor digest', async () => {
          const { client, services } = service()
          const { id, key } = await startSession('ann')
          const response = await client.get(url, { token })
          const created = '2030-01-01T00:00:00.000000Z'
          const times = { created, last_used: created, expires }
          const session = { id: key, user: people.ann.id, username: 'ann', ...times }
          assert.deepEqual(response.json(), { count: 1, next: null, previous: null, results: [session] })
          assert.deepEqual((await client.get(`${url}${key}/`, { token })).json(), session)
          const [{ digest }] = (await services.database.kysely.selectFrom('sessions').select('digest').execute()) as [
            { digest: string },
          ]
          assert.ok(!response.text.includes(id) && !response.text.includes(digest))
          assert.equal((await client.get(`${url}?user=${people.pam.id}`, { token })).json().count, 0)
        })

        test('AUTH-SCH-r3: DELETE ends one session and leaves the others active', async () => {
          const { client, services } = service()
          const [ann, pam] = [await startSession('ann'), await startSession('pam')]
          assert.equal((await client.delete(`${url}${ann.key}/`, { token })).status, 204)
          assert.equal(await services.accounts.sessions.find(ann.id), undefined)
          assert.equal((await services.accounts.sessions.find(pam.id))?.username, 'pam')
          assert.equal((await client.delete(`${url}${ann.key}/`, { token })).status, 404)
          assert.equal((await client.post(url, { token, json: { user: people.ann.id } })).status, 405)
        })

        test('an expired session is not listed, and DELETE returns 404', async () => {
          const { client, services } = service()
          const { key } = await startSession('ann')
          advanceClock(3600)
          assert.equal((await client.get(url, { token })).json().count, 0)
          for (const method of ['GET', 'DELETE'])
            assert.equal((await client.request(method, `${url}${key}/`, { token })).status, 404)
          assert.equal(await countRows(services.database, 'sessions'), 1)
        })

        test('AUTH-GEN-5: staff end their own sessions and sessions of users with no more permissions than theirs', async () => {
          const { client } = service()
          for (const [name, status] of [
            ['root', 403],
            ['sam', 403],
            ['pam', 403],
            ['ann', 204],
            ['stan', 204],
          ] as const) {
            const { key } = await startSession(name)
            const response = await client.delete(`${url}${key}/`, { token: people.stan.key })
            assert.equal(response.status, status, name)
          }
          assert.equal((await client.get(url, { token: people.ann.key })).status, 403)
          assert.equal((await client.get(url)).status, 401)
        })
      },
      clock,
    )
  })
}
