import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { anHour } from '../test/support/patience.ts'
import { fetchAll, type Reply, withoutTag } from './check-equal.ts'
import { createData } from './data.ts'
import { createBare } from './opponents/bare.ts'
import { createHandWritten } from './opponents/hand-written.ts'
import { createServiceSide, paginators } from './service.ts'

const sizes = { users: 200, groups: 40, snippets: 1000, cursors: 0 }

let folder: string
let files: readonly string[]
let token: string
let ports: readonly number[]
let close: () => Promise<void>

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resource-api-opponents-'))
  const data = await createData(folder, sizes)
  token = data.token
  files = ['service', 'hand-written', 'bare'].map(name => join(folder, `${name}.db`))
  for (const file of files) copyFileSync(data.path, file)
  // On a busy machine, the service would refuse requests that wait for long.
  const service = await createServiceSide(files[0]!, paginators.service, { overloadDelay: anHour })
  const apps = [service, createHandWritten(files[1]!)]
  for (const app of apps) await app.listen({ host: '127.0.0.1', port: 0 })
  const bare = createBare(files[2]!).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  ports = [...apps.map(app => app.server), bare].map(server => (server.address() as AddressInfo).port)
  close = async () => {
    for (const app of apps) await app.close()
    bare.close()
    bare.closeAllConnections()
    await once(bare, 'close')
  }
})

after(async () => {
  await close()
  rmSync(folder, { recursive: true })
})

/** Sends the request to all sides, whose responses must be the same and have this status. */
async function assertSame(status: number, path: string, authorization?: string, body?: unknown): Promise<Reply> {
  const headers = { host: 'localhost', ...(authorization !== undefined && { authorization }) }
  const [service, handWritten, bare] = (await fetchAll(ports, path, { headers, body })).map(withoutTag)
  assert.deepEqual(handWritten, service)
  assert.deepEqual(bare, service)
  assert.equal(service!.status, status)
  return service!
}

test('pages of users', async () => {
  for (const query of ['', '?page=1', '?page=2', '?page=3', '?page=003', '?page=20']) {
    await assertSame(200, `/directory/users/${query}`, `Token ${token}`)
  }
})

test('pages that do not exist', async () => {
  for (const page of ['0', '21', '-1', '1.5', 'x', '', '%202', '9007199254740993', '99999999999999999999']) {
    await assertSame(404, `/directory/users/?page=${page}`, `Token ${token}`)
  }
})

test('a user, and users that do not exist', async () => {
  for (const id of [1, 2, 3, 20, 200]) await assertSame(200, `/directory/users/${id}/`, `Token ${token}`)
  for (const id of ['0', '01', '201', 'x', '9007199254740993']) {
    await assertSame(404, `/directory/users/${id}/`, `Token ${token}`)
  }
})

test('pages of snippets', async () => {
  for (const page of ['1', '2', '100']) await assertSame(200, `/snippet/snippets/?page=${page}`)
  await assertSame(404, '/snippet/snippets/?page=101')
})

test('a snippet, and one that does not exist, for any caller', async () => {
  for (const authorization of [undefined, `Token ${token}`]) {
    for (const id of [1, 2, 17, 1000]) await assertSame(200, `/snippet/snippets/${id}/`, authorization)
    await assertSame(404, '/snippet/snippets/1001/', authorization)
  }
})

test('pages of titles, each with a value that depends on the caller', async () => {
  const { body } = await assertSame(200, '/watching/titles/', `Token ${token}`)
  const shown: readonly boolean[] = JSON.parse(body).results.map((title: { watched: boolean }) => title.watched)
  assert.deepEqual(shown, [true, false, true, false, true, false, true, false, true, false])
  for (const page of ['2', '100']) await assertSame(200, `/watching/titles/?page=${page}`, `Token ${token}`)
  await assertSame(404, '/watching/titles/?page=101', `Token ${token}`)
})

test('callers without valid credentials are refused', async () => {
  for (const url of ['/directory/users/', '/directory/users/1/', '/watching/titles/']) {
    await assertSame(401, url)
    await assertSame(401, url, `Token ${'0'.repeat(40)}`)
  }
  await assertSame(401, '/snippet/snippets/1/', `Token ${'0'.repeat(40)}`)
  await assertSame(401, '/snippet/snippets/', undefined, { code: 'print(1)' })
})

test('new snippets are stored with the same values', async () => {
  const bodies = [
    { code: 'print("<é>")\n', title: '  Hello  ', language: 'python', style: 'friendly', linenos: true },
    { code: 'a' },
    { code: 'x = 1', title: '', linenos: 'false', language: 'js', style: 'monokai', more: 1 },
  ]
  for (const body of bodies) {
    const { body: shown } = await assertSame(201, '/snippet/snippets/', `Token ${token}`, body)
    const rows = files.map(file => stored(file, JSON.parse(shown).id))
    assert.equal(rows[0]!.owner_id, 1)
    assert.deepEqual(rows[1], rows[0])
    assert.deepEqual(rows[2], rows[0])
  }
})

test('invalid new snippets are refused', async () => {
  const bodies = [
    {},
    { code: '' },
    { code: null, title: 'a'.repeat(101) },
    { code: 'a', language: 'no such', style: 7, linenos: 'perhaps' },
    { code: 'a\0', title: ['a'] },
    [],
    'text',
  ]
  for (const body of bodies) await assertSame(400, '/snippet/snippets/', `Token ${token}`, body)
})

function stored(file: string, id: number): Record<string, unknown> {
  const database = new DatabaseSync(file)
  const { created, ...row } = database.prepare('select * from snippets where id = ?').get(id)!
  database.close()
  assert.match(String(created), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  return row
}
