// The catalogues of messages: each is complete in German, and used.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as framework from 'resource-api'
import { APIException, german } from 'resource-api'
import { accountMessages, germanAccounts } from 'resource-api/accounts'
import { germanJwt, jwtMessages } from 'resource-api/jwt'
import { germanSnippets, snippetMessages } from 'resource-api/snippets'
import { frameworkMessages } from '#core'
import { pageMessages } from '#pages'
import type { Texts } from '../src/core/messages/catalogue.ts'

const { zod: _, ...germanFramework } = german

const catalogues: Readonly<Record<string, readonly [english: Texts, german: Texts]>> = {
  'src/core': [{ ...pageMessages.texts, ...frameworkMessages.texts }, germanFramework],
  'src/accounts': [accountMessages.texts, germanAccounts],
  'src/jwt': [jwtMessages.texts, germanJwt],
  'src/seed/snippets': [snippetMessages.texts, germanSnippets],
}

// Some words are the same in German, and so is what joins others: `{field}: {lookup}`.
const sameWords: readonly string[] = [
  'CSV',
  'Code',
  'Excel',
  'Name',
  'Snippet',
  'Snippets',
  'Status',
  'Superuser',
  'Token',
]
const isSame = (text: string) => sameWords.includes(text) || !/\p{L}/u.test(text.replace(/\{\w+\}/g, ''))

const listPlaceholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

for (const [folder, [english, translated]] of Object.entries(catalogues)) {
  test(`${folder}: every message exists in German, with the same values`, () => {
    assert.deepEqual(Object.keys(translated), Object.keys(english))
    for (const [key, text] of Object.entries(english)) {
      assert.deepEqual(listPlaceholders(translated[key]!), listPlaceholders(text), key)
      if (!isSame(text)) assert.notEqual(translated[key], text, key)
      assert.equal(translated[key], translated[key]!.trim(), key)
    }
  })

  test(`${folder}: every message is used`, async () => {
    const files = globSync('src/**/*.ts', { cwd: repository }).filter(
      path => !/german(-\w+)?\.ts$|english\.ts$|messages\.ts$|\.test\.ts$/.test(path),
    )
    const code = (await Promise.all(files.map(path => readFile(join(repository, path), 'utf8')))).join('\n')
    const unused = Object.keys(english).filter(key => !code.includes(`'${key}'`))
    assert.deepEqual(unused, [])
  })
}

const repository = fileURLToPath(new URL('..', import.meta.url))

test('no HTML contains the escape of a line feed, which would be text of the page', async () => {
  const files = globSync('src/**/*.ts', { cwd: repository }).filter(path => !path.endsWith('.test.ts'))
  for (const path of files)
    assert.doesNotMatch(await readFile(join(repository, path), 'utf8'), /html`[^`]*[^'"`]\\n/, path)
})

test('ERR-EXC-p1: every exception of the catalogue has a message with its code as the key', () => {
  const exceptions = Object.values(framework).filter(
    (value): value is typeof APIException =>
      typeof value === 'function' && (value === APIException || value.prototype instanceof APIException),
  )
  assert.ok(exceptions.length > 15)
  for (const { code } of exceptions) assert.ok(Object.hasOwn(frameworkMessages.texts, code), code)
})
