import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from 'resource-api/testing'
import { createApp } from './app.ts'

test('a book is added, moved to another shelf and found there', async () => {
  await using api = await testApp(({ databaseUrl }) => createApp(databaseUrl))
  const { headers } = await api.post('/books/', { title: 'Emma', pages: 474 }).expect(201)
  const url = headers.get('location') ?? ''
  await api.patch(url, { shelf: 'read' }).expect(200)
  assert.deepEqual(await api.get('/books/?shelf=read').expect(200).json(), {
    count: 1,
    next: null,
    previous: null,
    results: [{ url, title: 'Emma', pages: 474, shelf: 'read' }],
  })
  await api.get('/books/', { headers: { accept: 'text/html' } }).expect(200)
})

test('a book needs a title of its own', async () => {
  await using api = await testApp(({ databaseUrl }) => createApp(databaseUrl))
  await api.post('/books/', { title: 'Emma' }).expect(201)
  const errors = await api.post('/books/', { title: 'Emma', pages: 0 }).expect(400).json()
  assert.deepEqual(errors, {
    title: ['There is a book with this title.'],
    pages: ['Ensure this value is greater than or equal to 1.'],
  })
})
