// Files in a profile of a service: its API and the administration write them, and each shows its own URLs.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { authenticated, file, folder, resource, text } from 'resource-api'
import { profile } from 'resource-api/service'
import { documentMigrations } from '../support/documents.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { onEveryDatabase } from '../support/service.ts'

const path = await mkdtemp(join(tmpdir(), 'files-'))
after(() => rm(path, { recursive: true }))

const documents = resource('documents', {
  table: 'documents',
  permissions: [authenticated],
  fields: {
    title: text(),
    report: file({ store: folder(path), types: ['text/plain'], nullable: true }),
    export: file({ store: folder(path), access: 'signed', nullable: true }),
  },
})

const archive = profile('archive', { resources: [documents], migrations: documentMigrations, admin: { documents: {} } })

onEveryDatabase({ profiles: [archive] }, service => {
  test('the API and the administration replace and remove the files of an object', async () => {
    const { client } = service()
    const { key: token } = await service().createUser('root', { staff: true, superuser: true })
    const send = (method: string, url: string, ...parts: readonly Buffer[]) =>
      client.request(method, url, { token, headers: multipartHeaders, body: multipartBody(...parts) })
    const countFiles = async () =>
      (await readdir(path, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).length

    const before = await countFiles()
    const created = await send('POST', '/documents/', fieldPart('title', 'a'), filePart('report', 'a.txt', 'one'))
    assert.equal(created.status, 201)
    const own = new URL(created.headers.location as string).pathname
    const changed = await send(
      'PATCH',
      `/admin${own}`,
      filePart('report', 'b.txt', 'two'),
      filePart('export', 'e', 'x'),
    )
    assert.equal(changed.status, 200)
    const { report, export: signed } = changed.json() as Record<string, { url: string }>
    assert.equal(new URL(report!.url).pathname, `/admin${own}report/`)
    assert.equal((await client.get(`/admin${own}report/`, { token })).text, 'two')
    assert.equal((await client.get(`${own}report/`, { token })).text, 'two')
    assert.equal((await client.get(`${own}report/`)).status, 401)
    const { pathname, search } = new URL(signed!.url)
    assert.equal((await client.get(pathname + search)).text, 'x')
    assert.equal(await countFiles(), before + 2)
    assert.equal((await client.delete(`/admin${own}`, { token })).status, 204)
    assert.equal(await countFiles(), before)
  })
})
