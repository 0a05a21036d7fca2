// Snippet administration: the snippets profile declares views in which the staff edit snippets of any owner.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createPeople, type People } from '../support/administration.ts'
import { onEitherService } from '../support/service.ts'

const url = '/admin/snippets/'
const now = new Date('2030-01-01T00:00:00.000Z')

onEitherService(
  {},
  service => {
    let people: People
    let token: string
    let id: number
    beforeEach(async () => {
      people = await createPeople(service())
      token = people.stan.key
      const json = { title: 'Of Ann', code: 'x = 1', linenos: true, language: 'python' }
      id = (await service().client.post('/snippet/snippets/', { token: people.ann.key, json })).json().id
      await service().client.post('/snippet/snippets/', {
        token: people.pam.key,
        json: { code: 'y', language: 'json' },
      })
    })

    test('RES-SNIP-r1: staff see every field of every snippet', async () => {
      const { client } = service()
      const { count, results } = (await client.get(`${url}?search=ANN`, { token })).json()
      const created = '2030-01-01T00:00:00.000000Z'
      const fields = { title: 'Of Ann', code: 'x = 1', linenos: true, language: 'python', style: 'friendly' }
      assert.deepEqual([count, results], [1, [{ id, owner: 'ann', ...fields, created }]])
      assert.deepEqual((await client.get(`${url}?language=json`, { token })).json().count, 1)
      assert.equal((await client.get(`${url}?ordering=-title`, { token })).json().results[0].title, 'Of Ann')
    })

    test('staff change and delete snippets of other users; a change highlights again and keeps the owner', async () => {
      const { client } = service()
      const changed = await client.patch(`${url}${id}/`, { token, json: { code: 'changed = 1', owner: 'stan' } })
      assert.deepEqual([changed.status, changed.json().owner], [200, 'ann'])
      assert.match((await client.get(`/snippet/snippets/${id}/highlight/`)).text, /changed/)
      assert.match((await client.get(`${url}${id}/highlight/`, { token })).text, /changed/)
      assert.deepEqual((await client.patch(`${url}${id}/`, { token, json: { language: 'x' } })).status, 400)
      assert.equal((await client.delete(`${url}${id}/`, { token })).status, 204)
      assert.equal((await client.get(`/snippet/snippets/${id}/`)).status, 404)
      assert.equal((await client.post(url, { token, json: { code: 'x' } })).status, 405)
    })

    test('SVC-3: other callers get 401 or 403, and staff gain no rights in the public snippet views', async () => {
      const { client } = service()
      for (const [key, status] of [
        [people.ann.key, 403],
        [undefined, 401],
      ] as const) {
        for (const [method, path] of [
          ['GET', url],
          ['GET', `${url}${id}/highlight/`],
          ['DELETE', `${url}${id}/`],
        ] as const)
          assert.equal((await client.request(method, path, key === undefined ? {} : { token: key })).status, status)
      }
      assert.equal((await client.delete(`/snippet/snippets/${id}/`, { token })).status, 403)
    })
  },
  () => now,
)

onEitherService({ profiles: ['directory'] }, service => {
  test('without the snippets profile, the admin has no snippet views', async () => {
    const { key: token } = await service().createUser('root', { staff: true, superuser: true })
    assert.equal((await service().client.get(url, { token })).status, 404)
  })
})
