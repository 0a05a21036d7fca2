import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from 'resource-api/testing'
import { createApp } from './app.ts'
import { createTokens, type Employee } from './existing-app.ts'

const tokens = createTokens('a secret for the tests of this example')
const start = () => testApp(({ databaseUrl }) => createApp(databaseUrl, tokens))
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const asEmployee = async (employee: Employee) => bearer(await tokens.sign(employee))

const ada = { id: 'e1', name: 'ada', company: 'acme' }
const bob = { id: 'e2', name: 'bob', company: 'acme' }
const eve = { id: 'x1', name: 'eve', company: 'other' }

test('the API accepts the tokens of the application, whose own route still works', async () => {
  await using api = await start()
  const token = await asEmployee(ada)
  assert.deepEqual(await api.get('/me', token).expect(200).json(), ada)
  await api.get('/me').expect(401)
  await api.get('/api/tasks/', token).expect(200)

  const forged = await createTokens('another secret with 32 characters').sign(ada)
  const refused = await api.get('/api/tasks/', bearer(forged)).expect(401)
  assert.deepEqual([refused.json(), refused.headers.get('www-authenticate')], [{ detail: 'Invalid token.' }, 'Bearer'])
  await api.get('/api/tasks/').expect(401)
})

test('the tasks of a company exist for its employees only', async () => {
  await using api = await start()
  const made = await api.post('/api/tasks/', { title: 'Write' }, await asEmployee(ada)).expect(201)
  const url = made.headers.get('location')!
  const task = { url, title: 'Write', done: false, author: 'ada' }
  assert.deepEqual(made.json(), task)
  assert.deepEqual(
    await api
      .get(url, await asEmployee(bob))
      .expect(200)
      .json(),
    task,
  )
  await api.get(url, await asEmployee(eve)).expect(404)
  assert.partialDeepStrictEqual(await api.get('/api/tasks/', await asEmployee(eve)).json(), { count: 0 })
})
