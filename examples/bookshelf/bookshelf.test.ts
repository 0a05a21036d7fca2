import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createBookshelf } from './bookshelf.ts'

let folder: string
let app: FastifyInstance

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookshelf-'))
  app = await createBookshelf(`sqlite:${join(folder, 'books.db')}`)
})

after(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

test('a book is created, moved to another shelf, and deleted', async () => {
  const post = (payload: object) => app.inject({ method: 'POST', url: '/books/', payload })
  const created = await post({ title: 'Emma', pages: '474' })
  assert.equal(created.statusCode, 201)
  const url = created.headers.location!
  assert.deepEqual(created.json(), { url, title: 'Emma', pages: 474, shelf: 'to read' })

  const path = new URL(url).pathname
  const moved = await app.inject({ method: 'PATCH', url: path, payload: { shelf: 'reading' } })
  assert.equal(moved.json().shelf, 'reading')
  assert.deepEqual((await app.inject('/books/')).json(), {
    count: 1,
    next: null,
    previous: null,
    results: [moved.json()],
  })
  const page = await app.inject({ url: '/books/', headers: { accept: 'text/html' } })
  assert.match(page.payload, /<h1>.*Emma/s)

  const again = await post({ title: 'Emma', pages: 0, shelf: 'lost' })
  assert.equal(again.statusCode, 400)
  assert.deepEqual(again.json(), {
    title: ['There is a book with this title.'],
    pages: ['Ensure this value is greater than or equal to 1.'],
    shelf: ['"lost" is not a valid choice.'],
  })
  assert.equal((await app.inject({ method: 'DELETE', url: path })).statusCode, 204)
})
