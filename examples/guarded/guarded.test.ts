import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Fastify from 'fastify'
import { openDatabase } from 'resource-api'
import { books, createBookshelf } from '../bookshelf/bookshelf.ts'
import { guarded } from './guarded.ts'

const ann = { isAuthenticated: true, isActive: true, id: 1, username: 'ann', isStaff: false }

test('everyone may read, and a caller with a known token may write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guarded-'))
  const url = `sqlite:${join(folder, 'books.db')}`
  await (await createBookshelf(url)).close()
  const database = openDatabase(url)
  const app = Fastify()
  await app.register(guarded(database, books, async key => (key === 'k' ? { user: ann, token: key } : undefined)))
  const post = (authorization?: string) =>
    app.inject({
      method: 'POST',
      url: '/books/',
      payload: { title: 'Emma' },
      headers: { ...(authorization && { authorization }) },
    })

  assert.equal((await app.inject('/books/')).statusCode, 200)
  const refused = await post()
  assert.deepEqual([refused.statusCode, refused.headers['www-authenticate']], [401, 'Bearer'])
  assert.equal((await post('Bearer x')).statusCode, 401)
  assert.equal((await post('Bearer k')).statusCode, 201)

  await app.close()
  await database.close()
  await rm(folder, { recursive: true })
})
