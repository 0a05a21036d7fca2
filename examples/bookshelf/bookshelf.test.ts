import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApi } from 'resource-api/testing'
import { bookshelf, migrations } from './bookshelf.ts'

const [ann, bob] = ['ann', 'bob'].map((username, id) => ({ isAuthenticated: true, id, username, isStaff: false }))

test('only the owner of a book moves it to another shelf', async () => {
  await using api = await testApi({ ...bookshelf, migrations })
  await api.get('/books/').expect(401)
  const { headers } = await api.as(ann!).post('/books/', { title: 'Emma' }).expect(201)
  await api.as(bob!).patch(headers.get('location')!, { shelf: 'reading' }).expect(403)
  await api.as(ann!).patch(headers.get('location')!, { shelf: 'reading' }).expect(200)
  assert.partialDeepStrictEqual(await api.as(bob!).get('/books/?shelf=reading').json(), { count: 1 })
})
