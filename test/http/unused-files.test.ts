// Files that a killed process left behind, and file stores that fail.

import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { file, folder, listUnusedFiles, resource, text } from 'resource-api'
import { ann, createForm, declareDocuments, onEachDocuments } from '../support/documents.ts'

let root = ''

onEachDocuments(
  path => {
    root = path
    return { resources: [declareDocuments(path)], secret: 's'.repeat(32) }
  },
  documents => {
    const storeAlone = async (key: string) => {
      await folder(root).write(key, Readable.from([Buffer.from('x')]), { type: 'text/plain' })
      return key
    }
    const age = async (key: string, hours: number) => {
      const time = Date.now() / 1000 - hours * 3600
      await utimes(join(root, key.slice(0, 2), key), time, time)
    }

    test('only files that are older than an hour and that no row refers to are unused', async () => {
      const { app } = documents().api
      const form = createForm({ title: 'a', report: ['a', 'a.txt'], export: ['b', 'b.txt'] })
      await documents().api.as(ann).post('/documents/', form).expect(201)
      const used = await documents().listFiles()
      const old = await storeAlone('a'.repeat(40))
      const young = await storeAlone('b'.repeat(40))
      for (const key of used) await age(key, 5)
      await age(old, 2)
      await age(young, 0.9)
      const found = await listUnusedFiles(app)
      assert.deepEqual(
        found.map(({ key, place }) => [key, place]),
        [[old, `folder ${root}`]],
      )
      for (const { remove } of found) await remove()
      assert.deepEqual((await documents().listFiles()).toSorted(), [...used, young].sort())
      assert.deepEqual(await listUnusedFiles(app), [])
    })
  },
)

const failures = { ENOSPC: 507, EDQUOT: 507, EIO: 503 }

onEachDocuments(
  path => {
    root = path
    const stores = Object.keys(failures).map(code => {
      const store = folder(path)
      // Fails as a disk does, after a part of the file.
      const write: typeof store.write = (key, content, options) =>
        store.write(key, failAfterStart(content, code), options)
      return [code.toLowerCase(), file({ store: { ...store, write }, nullable: true, column: 'report' })] as const
    })
    return {
      resources: stores.map(([name, report]) =>
        resource(name, { table: 'documents', fields: { title: text(), report } }),
      ),
    }
  },
  documents => {
    for (const [code, status] of Object.entries(failures))
      test(`${code} while a file is written is ${status}, and leaves nothing`, async () => {
        const form = createForm({ title: 'a', report: ['a'.repeat(200_000), 'a.txt'] })
        await documents().api.post(`/${code.toLowerCase()}/`, form).expect(status)
        assert.deepEqual(await documents().listFiles(), [])
        assert.deepEqual((await documents().api.get(`/${code.toLowerCase()}/`)).json(), [])
      })
  },
)

async function* failAfterStart(content: AsyncIterable<Uint8Array>, code: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk
    throw Object.assign(new Error(code), { code, syscall: 'write' })
  }
}
