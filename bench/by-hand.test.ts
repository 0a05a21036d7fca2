import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createByHand } from './by-hand.ts'
import { createData } from './data.ts'
import { createOurs, paginators } from './ours.ts'

let folder: string
let token: string
let sides: readonly FastifyInstance[]

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resource-api-by-hand-'))
  const data = await createData(folder)
  token = data.token
  sides = [await createOurs(data.path, paginators.ours), createByHand(data.path)]
})

after(async () => {
  for (const side of sides) await side.close()
  rmSync(folder, { recursive: true })
})

/** Asks both sides; they must give the same answer, which has this status. */
async function same(status: number, url: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization }
  const answers = sides.map(async side => {
    const answer = await side.inject({ url, headers })
    const { date: _, ...fields } = answer.headers
    return { status: answer.statusCode, headers: fields, body: answer.body }
  })
  const [ours, byHand] = await Promise.all(answers)
  assert.deepEqual(byHand, ours)
  assert.equal(ours!.status, status)
}

test('pages of users', async () => {
  for (const query of ['', '?page=1', '?page=2', '?page=3', '?page=003', '?page=1000']) {
    await same(200, `/directory/users/${query}`, `Token ${token}`)
  }
})

test('pages that do not exist', async () => {
  for (const page of ['0', '1001', '-1', '1.5', 'x', '', '%202', '9007199254740993', '99999999999999999999']) {
    await same(404, `/directory/users/?page=${page}`, `Token ${token}`)
  }
})

test('a user, and none', async () => {
  for (const id of [1, 2, 3, 20, 10_000]) await same(200, `/directory/users/${id}/`, `Token ${token}`)
  for (const id of ['0', '01', '10001', 'x', '9007199254740993', '%31x']) {
    await same(404, `/directory/users/${id}/`, `Token ${token}`)
  }
})

test('pages of snippets', async () => {
  for (const page of ['1', '2', '10000']) await same(200, `/snippet/snippets/?page=${page}`)
  await same(404, '/snippet/snippets/?page=10001')
})

test('a snippet, and none, for anyone', async () => {
  for (const authorization of [undefined, `Token ${token}`]) {
    for (const id of [1, 2, 17, 100_000]) await same(200, `/snippet/snippets/${id}/`, authorization)
    await same(404, '/snippet/snippets/100001/', authorization)
  }
})

test('callers who are refused', async () => {
  for (const url of ['/directory/users/', '/directory/users/1/']) {
    await same(401, url)
    await same(401, url, `Token ${'0'.repeat(40)}`)
  }
  await same(401, '/snippet/snippets/1/', `Token ${'0'.repeat(40)}`)
})
