import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from 'resource-api/testing'
import config from './resource-api.config.ts'

test('users write notes, and only the owner changes a note', async () => {
  await using api = await testService(config)
  const ada = api.as(await api.user('ada'))
  const bob = api.as(await api.user('bob'))

  await api.post('/notes/', { title: 'Milk' }).expect(401)
  const { headers } = await ada.post('/notes/', { title: 'Milk' }).expect(201)
  const url = headers.get('location') ?? ''

  const note = { url, title: 'Milk', content: '', owner: 'ada' }
  assert.partialDeepStrictEqual(await api.get(url).expect(200).json(), note)
  assert.partialDeepStrictEqual(await api.get('/notes/?search=milk').expect(200).json(), { count: 1, results: [note] })

  await bob.patch(url, { title: 'Mine' }).expect(403)
  await ada.patch(url, { title: 'Bread' }).expect(200)
  await ada.delete(url).expect(204)
})

test('a note needs a title', async () => {
  await using api = await testService(config)
  const ada = api.as(await api.user('ada'))
  assert.deepEqual(await ada.post('/notes/', { title: ' ' }).expect(400).json(), {
    title: ['This field may not be blank.'],
  })
})
