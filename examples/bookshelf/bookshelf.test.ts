import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApi } from 'resource-api/testing'
import { bookshelf, schema } from './bookshelf.ts'

const ann = { isAuthenticated: true, id: 0, username: 'ann', isStaff: false }
const bob = { ...ann, id: 1, username: 'bob' }

test('only the owner of a book moves it to another shelf', async () => {
  await using api = await testApi({ ...bookshelf, tables: schema })
  await api.get('/books/').expect(401)
  await api.as(ann).post('/books/', { title: 'Emma' }).expect(201)
  await api.as(bob).patch('/books/1/', { shelf: 'reading' }).expect(403)
  await api.as(ann).patch('/books/1/', { shelf: 'reading' }).expect(200)
  assert.partialDeepStrictEqual(await api.as(bob).get('/books/?shelf=reading').json(), { count: 1 })
})
