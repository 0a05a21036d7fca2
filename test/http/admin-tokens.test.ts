// Token administration (AUTH-SCH-2): lists show who has a token; only the response that creates a token contains it.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createPeople, type People, type Person } from '../support/administration.ts'
import { onEitherService, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/admin/tokens/'
const now = new Date('2030-01-01T00:00:00.000Z')
const created = '2030-01-01T00:00:00.000000Z'

const isAccepted = async ({ client }: TestService, token: string) =>
  (await client.get('/users/', { token })).status === 200

const revokeTokens = ({ accounts }: TestService['services'], { id }: Person) =>
  accounts.database.transaction(connection => accounts.tokens.revokeAll(id, connection))

suite('one token per user', () => {
  onEitherService(
    { profiles: ['directory'] },
    service => {
      let people: People
      let token: string
      beforeEach(async () => {
        people = await createPeople(service())
        token = people.root.key
      })

      test('RES-TOKEN-r1, RES-TOKEN-r2: lists show who has a token, but not the token itself', async () => {
        const { client } = service()
        const { count, results } = (await client.get(url, { token })).json()
        const { id } = people.root
        assert.deepEqual([count, results[0]], [5, { id, user: id, username: 'root', created }])
        const retrieved = await client.get(`${url}${id}/`, { token })
        assert.deepEqual(retrieved.json(), results[0])
        for (const { key } of Object.values(people) as Person[]) assert.ok(!JSON.stringify(results).includes(key))
      })

      test('SVC-7: tokens are not imported, because their list has a POST of its own', async () => {
        const read = async (path: string) =>
          (await service().client.get(path, { token, headers: { accept: 'text/html' } })).text
        assert.match(await read('/admin/users/'), /\?import"/)
        assert.doesNotMatch(await read(url), /\?import"/)
      })

      test('SVC-7: the list has one column with the name of the user', async () => {
        const page = (await service().client.get(url, { token, headers: { accept: 'text/html' } })).text
        const headings = [...page.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, label]) => label)
        assert.deepEqual(headings, ['Username', 'Created'])
      })

      test('AUTH-SCH-2: a token is created for a user, shown once, and regenerated', async () => {
        const { client, services } = service()
        const { ann } = people
        await revokeTokens(services, ann)
        const response = await client.post(url, { token, json: { user: ann.id } })
        const { token: key, ...createdFields } = response.json()
        assert.match(key, /^[0-9a-f]{40}$/)
        const expected = { id: ann.id, user: ann.id, username: 'ann', created }
        assert.deepEqual([response.status, createdFields], [201, expected])
        assert.equal(response.headers.location, `http://localhost${url}${ann.id}/`)
        assert.deepEqual((await client.get(`${url}${ann.id}/`, { token })).json(), expected)

        const duplicate = await client.post(url, { token, json: { user: ann.id } })
        const message = 'This user already has a token. It can be regenerated.'
        assert.deepEqual([duplicate.status, duplicate.json()], [400, { user: [message] }])
        const regenerated = await client.post(`${url}${ann.id}/regenerate/`, { token })
        const { token: newToken, ...representation } = regenerated.json()
        assert.deepEqual([regenerated.status, representation], [200, expected])
        assert.deepEqual([await isAccepted(service(), key), await isAccepted(service(), newToken)], [false, true])
      })

      test('AUTH-SCH-2: a revoked token is rejected from the next request on', async () => {
        const { client } = service()
        const { ann, pam } = people
        const deleted = await client.delete(`${url}${ann.id}/`, { token })
        assert.deepEqual([deleted.status, deleted.text, await isAccepted(service(), ann.key)], [204, '', false])
        assert.equal((await client.delete(`/admin/users/${pam.id}/tokens/`, { token })).status, 204)
        assert.equal(await isAccepted(service(), pam.key), false)
        for (const method of ['GET', 'DELETE'])
          assert.equal((await client.request(method, `${url}${ann.id}/`, { token })).status, 404)
        assert.equal((await client.post(`${url}${ann.id}/regenerate/`, { token })).status, 404)
      })

      test('RES-TOKEN-r2: concurrent requests create one token', async () => {
        const { client, services } = service()
        await revokeTokens(services, people.ann)
        const responses = await Promise.all(
          Array.from({ length: 10 }, () => client.post(url, { token, json: { user: people.ann.id } })),
        )
        assert.ok(responses.every(({ status }) => status === 201 || status === 400))
        assert.equal(new Set(responses.flatMap(({ status, json }) => (status === 201 ? json().token : []))).size, 1)
        assert.equal(await countRows(services.database, 'tokens'), 5)
      })

      test('ERR-EXC-r2: an invalid body is rejected with field errors, and nothing is written', async () => {
        const { client, services } = service()
        const before = await dumpTables(services.database)
        const missing = (id: unknown) => [`Invalid pk "${id}" - object does not exist.`]
        for (const [json, errors] of [
          [{}, { user: ['This field is required.'] }],
          [{ user: null }, { user: ['This field may not be null.'] }],
          [{ user: 999_999 }, { user: missing(999_999) }],
          [{ user: 0 }, { user: missing(0) }],
          [{ user: 2 ** 53 }, { user: missing(2 ** 53) }],
          [{ user: 'ann' }, { user: ['Incorrect type. Expected pk value, received str.'] }],
          [{ user: {} }, { user: ['Incorrect type. Expected pk value, received dict.'] }],
          [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
        ] as const) {
          const response = await client.post(url, { token, json })
          assert.deepEqual([response.status, response.json()], [400, errors])
        }
        for (const id of ['0', '-1', '999999', '9'.repeat(19), '9007199254740993', 'x']) {
          for (const [method, path] of [
            ['GET', `${url}${id}/`],
            ['DELETE', `${url}${id}/`],
            ['POST', `${url}${id}/regenerate/`],
            ['DELETE', `/admin/users/${id}/tokens/`],
          ] as const)
            assert.equal((await client.request(method, path, { token })).status, 404)
        }
        for (const method of ['PUT', 'PATCH'])
          assert.equal((await client.request(method, `${url}${people.ann.id}/`, { token, json: {} })).status, 405)
        assert.equal(await dumpTables(services.database), before)
      })

      for (const name of ['root', 'sam', 'pam'] as const) {
        test(`AUTH-GEN-5: staff neither create nor revoke a token of ${name}`, async () => {
          const { client, services } = service()
          const { id, key } = people[name]
          const before = await dumpTables(services.database)
          for (const [method, path, json] of [
            ['POST', url, { user: id }],
            ['POST', `${url}${id}/regenerate/`, undefined],
            ['DELETE', `${url}${id}/`, undefined],
            ['DELETE', `/admin/users/${id}/tokens/`, undefined],
          ] as const) {
            const refused = await client.request(method, path, { token: people.stan.key, ...(json && { json }) })
            assert.equal(refused.status, 403)
            assert.match(refused.json().detail, /^Only a superuser may /)
          }
          assert.equal(await dumpTables(services.database), before)
          assert.equal(await isAccepted(service(), key), true)
          await revokeTokens(services, people[name])
          const response = await client.post(url, { token: people.stan.key, json: { user: id } })
          assert.equal(response.status, 403)
        })
      }

      test('AUTH-SCH-2: staff manage their own tokens and tokens of users without more permissions', async () => {
        const { client } = service()
        const { ann, stan } = people
        const regenerated = await client.post(`${url}${ann.id}/regenerate/`, { token: stan.key })
        assert.equal(await isAccepted(service(), regenerated.json().token), true)
        assert.equal((await client.delete(`${url}${ann.id}/`, { token: stan.key })).status, 204)
        assert.equal((await client.post(url, { token: stan.key, json: { user: ann.id } })).status, 201)
        assert.equal((await client.delete(`${url}${stan.id}/`, { token: stan.key })).status, 204)
        assert.equal(await isAccepted(service(), stan.key), false)
      })
    },
    () => now,
  )
})

suite('named tokens', () => {
  onEitherService(
    { profiles: ['directory'], tokens: 'named' },
    service => {
      let people: People
      let token: string
      beforeEach(async () => {
        people = await createPeople(service())
        token = people.root.key
      })

      const createToken = async (values: object = {}) =>
        (await service().client.post(url, { token, json: { user: people.ann.id, ...values } })).json()

      test('AUTH-SCH-2: a user has several tokens; each is shown once, regenerated and revoked', async () => {
        const { client, services } = service()
        const { token: key, ...first } = await createToken({ name: 'Robot', expires_in: 60 })
        assert.match(key, /^rapi_/)
        const expires = '2030-01-01T00:01:00.000000Z'
        const owner = { user: people.ann.id, username: 'ann' }
        assert.deepEqual(first, { id: first.id, ...owner, name: 'Robot', expires, last_used: null, created })
        const { token: secondToken, ...second } = await createToken()
        const { results } = (await client.get(url, { token })).json()
        assert.deepEqual(results, [first, second])
        assert.deepEqual([await isAccepted(service(), key), await isAccepted(service(), secondToken)], [true, true])
        await services.accounts.tokens.settle()

        const regenerated = await client.post(`${url}${first.id}/regenerate/`, { token })
        const { token: newToken, ...representation } = regenerated.json()
        assert.deepEqual([regenerated.status, representation], [200, { ...first, expires: null }])
        assert.deepEqual([await isAccepted(service(), key), await isAccepted(service(), newToken)], [false, true])
        assert.equal((await client.delete(`${url}${first.id}/`, { token })).status, 204)
        assert.deepEqual(
          [await isAccepted(service(), newToken), await isAccepted(service(), secondToken)],
          [false, true],
        )
        assert.equal((await client.post(`${url}${first.id}/regenerate/`, { token })).status, 404)
      })

      test('AUTH-SCH-2: DELETE on the tokens of a user revokes every token of that user', async () => {
        const { client } = service()
        const { token: key } = await createToken()
        assert.equal((await client.delete(`/admin/users/${people.ann.id}/tokens/`, { token })).status, 204)
        assert.deepEqual(
          [await isAccepted(service(), key), await isAccepted(service(), people.ann.key)],
          [false, false],
        )
        assert.equal(await isAccepted(service(), people.pam.key), true)
      })

      test('ERR-EXC-r2: an invalid body is rejected with one error per field', async () => {
        const { client } = service()
        const json = { user: 999_999, name: 'x'.repeat(101), expires_in: 'soon' }
        const refused = await client.post(url, { token, json })
        assert.equal(refused.status, 400)
        assert.deepEqual(Object.keys(refused.json()), ['user', 'name', 'expires_in'])
        const { actions } = (await client.request('OPTIONS', url, { token })).json()
        assert.deepEqual(Object.keys(actions.POST), ['user', 'name', 'expires_in'])
      })

      test('AUTH-GEN-5: staff neither create nor revoke tokens of users with more permissions', async () => {
        const { client, services } = service()
        for (const name of ['root', 'sam', 'pam'] as const) {
          const user = people[name].id
          const { id, token: key } = await createToken({ user })
          const before = await dumpTables(services.database)
          for (const [method, path, json] of [
            ['POST', url, { user }],
            ['POST', `${url}${id}/regenerate/`, undefined],
            ['DELETE', `${url}${id}/`, undefined],
            ['DELETE', `/admin/users/${user}/tokens/`, undefined],
          ] as const) {
            const refused = await client.request(method, path, { token: people.stan.key, ...(json && { json }) })
            assert.equal(refused.status, 403)
          }
          assert.equal(await dumpTables(services.database), before)
          assert.equal(await isAccepted(service(), key), true)
          await services.accounts.tokens.settle()
        }
      })
    },
    () => now,
  )
})
