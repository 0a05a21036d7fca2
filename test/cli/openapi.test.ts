// `resource-api openapi` prints the document of a service, and compares it with an older one.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { OpenApiDocument } from 'resource-api'
import { parse } from 'yaml'
import { checkDocument } from '../support/check-document.ts'
import { formatConfig } from '../support/config-file.ts'
import { commandLine } from './command-line.ts'

suite('openapi', { concurrency: true }, () => {
  test('the document is printed as JSON or YAML, and no database is created', async context => {
    const cli = await commandLine(context)
    const { code, stdout, stderr } = await cli.run(['openapi'])
    assert.deepEqual([code, stderr], [0, ''])
    const document = JSON.parse(stdout) as OpenApiDocument
    await checkDocument(document)
    assert.ok(document.paths['/admin/users/'])
    assert.deepEqual(parse((await cli.run(['openapi', '--format', 'yaml'])).stdout), document)
    assert.ok(!existsSync(join(cli.folder, 'test.db')))
  })

  test('a single profile is at the root, as when it is served alone', async context => {
    const cli = await commandLine(context)
    const { stdout } = await cli.run(['openapi', '--profile', 'snippets'])
    assert.ok((JSON.parse(stdout) as OpenApiDocument).paths['/snippets/'])
  })

  test('a wrong format, and a service without a document, are errors', async context => {
    const cli = await commandLine(context)
    const wrong = await cli.run(['openapi', '--format', 'xml'])
    assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
    assert.match(wrong.stderr, /--format must be json or yaml, not "xml"/)
    await writeFile(join(cli.folder, 'resource-api.config.ts'), formatConfig('openapi: false'))
    const none = await cli.run(['openapi'])
    assert.equal(none.code, 1)
    assert.match(none.stderr, /the service has no document: remove openapi: false/)
  })
})

suite('openapi --against', { concurrency: true }, () => {
  test('it lists the changes that break clients, and exits with 1 if there are any', async context => {
    const cli = await commandLine(context)
    const { stdout } = await cli.run(['openapi'])
    const document = JSON.parse(stdout)
    const old = join(cli.folder, 'old.json')
    await writeFile(old, stdout)
    const same = await cli.run(['openapi', '--against', old])
    assert.deepEqual([same.code, same.stdout, same.stderr], [0, '', ''])
    document.paths['/gone/'] = { get: { responses: {} } }
    await writeFile(old, JSON.stringify(document))
    const broken = await cli.run(['openapi', '--against', old])
    assert.deepEqual([broken.code, broken.stdout, broken.stderr], [1, '/paths/~1gone~1 was removed\n', ''])
  })

  test('a file that is no OpenAPI document of version 3 is an error', async context => {
    const cli = await commandLine(context)
    const file = join(cli.folder, 'old.json')
    const missing = await cli.run(['openapi', '--against', file])
    assert.deepEqual([missing.code, missing.stdout], [1, ''])
    assert.match(missing.stderr, /^resource-api: openapi: --against: ENOENT: no such file or directory/)
    for (const [text, message] of [
      ['openapi: 3.1.1', /old\.json is not JSON: /],
      ['{}', /old\.json is not an OpenAPI document: /],
      ['{"openapi": "2.0"}', /old\.json is a document of OpenAPI 2\.0: only 3\.x can be compared/],
    ] as const) {
      await writeFile(file, text)
      const { code, stderr } = await cli.run(['openapi', '--against', file])
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
  })
})
