import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createLending } from './lending.ts'

const person = (id: number, username: string, isStaff = false) => ({
  user: { isAuthenticated: true, isActive: true, id, username, isStaff },
  token: username,
})
const people = [person(1, 'ann'), person(2, 'bob'), person(3, 'sue', true)]

let folder: string
let app: FastifyInstance
let now = new Date('2026-01-10T12:00:00Z')

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lending-'))
  const find = async (key: string) => people.find(({ token }) => token === key)
  app = await createLending(`sqlite:${join(folder, 'lending.db')}`, find, () => now)
})

after(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

async function ask(method: Method, url: string, caller?: string, payload?: object) {
  const headers = caller === undefined ? {} : { authorization: `Token ${caller}` }
  const { statusCode, body } = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return [statusCode, body === '' || url.includes('csv') ? body : JSON.parse(body)] as const
}

const emma = { title: 'Emma', isbn: '9780141439587', year: 1815 }

test('books are created under their authors, and validated as a whole', async () => {
  assert.equal((await ask('POST', '/authors/', 'sue', { name: 'Jane Austen', born: 1775 }))[0], 201)
  for (const title of ['Emma', 'Persuasion'])
    assert.equal((await ask('POST', '/authors/1/books/', 'sue', { ...emma, title }))[0], 201)
  const url = 'http://localhost:80/books/1/'
  assert.deepEqual(await ask('GET', '/books/1/'), [200, { url, ...emma, author: 1, due: null }])
  assert.deepEqual((await ask('GET', '/authors/1/books/'))[1][0], { url, title: 'Emma' })

  for (const [method, path, change, errors] of [
    ['POST', '/authors/1/books/', {}, { non_field_errors: ['The fields title, author must make a unique set.'] }],
    ['PUT', '/books/2/', { author: 1 }, { non_field_errors: ['The fields title, author must make a unique set.'] }],
    ['POST', '/authors/1/books/', { title: 'A', year: 1700 }, { year: ['The author was born in 1775.'] }],
    ['POST', '/authors/1/books/', { isbn: '1' }, { isbn: ['An ISBN has 13 digits.'] }],
    ['POST', '/books/', {}, { author: ['This field is required.'] }],
  ] as const)
    assert.deepEqual(await ask(method, path, 'sue', { ...emma, ...change }), [400, errors])
  assert.deepEqual(await ask('PATCH', '/books/1/', 'sue', { year: 1774 }), [
    400,
    { year: ['The author was born in 1775.'] },
  ])
  assert.equal((await ask('GET', '/authors/2/books/'))[0], 404)
})

test('a book is borrowed by one member, who may send three requests a day', async () => {
  const borrow = (caller?: string, until?: string, id = 1) => ask('POST', `/books/${id}/borrow/`, caller, { until })
  assert.equal((await borrow())[0], 401)
  assert.deepEqual(await borrow('ann'), [400, { until: ['This field is required.'] }])
  assert.deepEqual(await borrow('ann', '2026-01-09'), [400, { until: ['That day has passed.'] }])
  const [status, book] = await borrow('ann', '2026-01-31')
  assert.deepEqual([status, book.title, book.due], [200, 'Emma', '2026-01-31'])
  assert.deepEqual(await borrow('ann', '2026-01-31', 2), [429, { detail: 'Request was throttled.' }])
  assert.deepEqual(await borrow('bob', '2026-01-31'), [409, { detail: 'Somebody else has this book.' }])
  assert.equal((await borrow('bob', '2026-01-31', 9))[0], 404)
  assert.equal((await ask('GET', '/books/1/borrow/', 'ann'))[0], 405)

  const [, { actions }] = await ask('OPTIONS', '/books/2/borrow/', 'sue')
  const until = { type: 'date', required: true, read_only: false, label: 'Until' }
  assert.deepEqual(actions, { POST: { until } })

  now = new Date('2026-02-01T12:00:00Z')
  assert.equal((await borrow('ann', '2026-02-02', 2))[0], 200)
})

test('staff see overdue books, as JSON and as CSV', async () => {
  assert.equal((await ask('GET', '/books/overdue/', 'ann'))[0], 403)
  assert.deepEqual(await ask('GET', '/books/overdue/', 'sue'), [
    200,
    [{ title: 'Emma', borrower: 'ann', due: '2026-01-31' }],
  ])
  assert.deepEqual(await ask('GET', '/books/overdue/?format=csv', 'sue'), [200, '"Emma","ann","2026-01-31"\r\n'])
  assert.equal((await ask('GET', '/books/?format=csv'))[0], 404)
})

test('everyone may read the sign, and staff may turn it', async () => {
  for (const [method, caller, expected] of [
    ['GET', undefined, [200, { open: false }]],
    ['PUT', 'sue', [204, '']],
    ['GET', 'ann', [200, { open: true }]],
    ['DELETE', 'ann', [403, { detail: 'You do not have permission to perform this action.' }]],
    ['DELETE', 'sue', [204, '']],
    ['GET', undefined, [200, { open: false }]],
  ] as const)
    assert.deepEqual(await ask(method, '/sign/', caller), expected)
})
