import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from 'resource-api/testing'
import config from './resource-api.config.ts'

test('only the owner of a book moves it to another shelf', async () => {
  await using api = await testService(config)
  const [ann, bob] = [api.as(await api.user('ann')), api.as(await api.user('bob'))]
  await api.get('/books/').expect(401)
  await ann.post('/books/', { title: 'Emma' }).expect(201)
  await bob.patch('/books/1/', { shelf: 'reading' }).expect(403)
  await ann.patch('/books/1/', { shelf: 'reading' }).expect(200)
  assert.partialDeepStrictEqual(await bob.get('/books/?shelf=reading&search=emma').json(), [{ title: 'Emma' }])
})
