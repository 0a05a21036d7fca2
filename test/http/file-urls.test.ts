// The URLs of files, as the URLs of their objects: below parents, of singletons, without slashes and with names on the wire.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticated, file, folder, key, related, resource, text } from 'resource-api'
import { ann, createForm, onEachDocuments } from '../support/documents.ts'

const declare = (path: string) => {
  const documents = resource('documents', { table: 'documents', fields: { id: key(), title: text() } })
  const stored = { title: text(), report: file({ store: folder(path), nullable: true, column: 'report' }) }
  return [
    documents,
    resource('reports', {
      table: 'documents',
      nestedUnder: [{ parent: documents, field: 'document', only: true }],
      fields: { document: related(documents, { column: 'owner_id' }), ...stored },
      wire: { report: 'content' },
    }),
    resource('settings', {
      table: 'documents',
      singleton: ({ caller }) => (caller.isAuthenticated ? Number(caller.id) : null),
      permissions: [authenticated],
      fields: stored,
    }),
  ]
}

for (const trailingSlash of [true, false])
  onEachDocuments(
    path => ({ resources: declare(path), trailingSlash }),
    documents => {
      const end = trailingSlash ? '/' : ''

      test(`below a parent${end}`, async () => {
        const client = documents().api.as(ann)
        const parent = (await client.post(`/documents${end}`, { title: 'a' }).expect(201)).headers.get('location')!
        const url = `${parent}${trailingSlash ? '' : '/'}reports${end}`
        const { headers, json } = await client
          .post(url, createForm({ title: 'b', content: ['x', 'a.txt'] }))
          .expect(201)
        const object = json() as { content: { url: string } }
        assert.equal(object.content.url, `${headers.get('location')}${trailingSlash ? '' : '/'}content${end}`)
        assert.equal((await client.get(object.content.url).expect(200)).text, 'x')
      })

      test(`of a singleton${end}`, async () => {
        const client = documents().api.as(ann)
        const form = createForm({ report: ['settings', 'a.txt'] })
        const { json } = await client.patch(`/settings${end}`, form).expect(200)
        const { url } = (json() as { report: { url: string } }).report
        assert.match(url, trailingSlash ? /\/settings\/report\/$/ : /\/settings\/report$/)
        assert.equal((await client.get(url).expect(200)).text, 'settings')
      })
    },
  )
