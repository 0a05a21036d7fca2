// Checks the links in SECURITY.md, and its statement about outgoing requests.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(`${repository}SECURITY.md`, 'utf8')

test('SECURITY.md lists existing tests for each of the ten risks', () => {
  const rows = [...text.matchAll(/^\| API(\d+) [^|]+\|[^|]+\|([^|]+)\|$/gm)]
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
  for (const [, number, proofs] of rows) {
    const files = [...proofs!.matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file!)
    assert.ok(files.length > 0, number)
    for (const file of files) {
      assert.match(file, /\.test\.ts$/)
      assert.match(readFileSync(repository + file, 'utf8'), /\btest\(/, file)
    }
  }
})

test('every other file that SECURITY.md links to exists', () => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link]) => link!)
  assert.ok(links.length > 40)
  for (const link of links) assert.ok(existsSync(repository + link), link)
})

/** The files that send requests. */
const known = [
  // The configured login providers.
  'src/accounts/providers/provider-client.ts',
  // The typed client, which no service loads.
  'src/client/client.ts',
  // Webhooks, at public addresses.
  'src/jobs/webhooks/send.ts',
  // The configured OpenID provider, for its keys.
  'src/jwt/fetch-json.ts',
  // Its own server.
  'src/server/drain.ts',
  // The test kit.
  'src/testing/transport.ts',
]

test('API7: requests go only to the database, to webhooks and to services of the configuration', () => {
  const sources = globSync('src/**/*.ts', { cwd: repository }).filter(path => !path.endsWith('.test.ts'))
  assert.ok(sources.length > 100)
  const clients =
    /\bfetch\(|\bhttps?\.(?:request|get)\(|\b(?:request|get|connect)\b[^'\n]*from 'node:(?:https?|http2|net|tls)'|from '(?:node:https|node:http2|node:tls|undici)'/
  const asking = sources.filter(path => clients.test(readFileSync(repository + path, 'utf8')))
  assert.deepEqual(asking.toSorted(), known.toSorted())
})
