// Every TypeScript block of the README must be a file of the examples, where it is type-checked and tested.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

const sources = ['resource-api.config.ts', 'bookshelf.test.ts'].map(file => `bookshelf/${file}`)

test('each TypeScript block of the README equals a file of the examples', async () => {
  const blocks = [...(await read('../README.md')).matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block)
  assert.deepEqual(blocks, await Promise.all(sources.map(read)))
})
