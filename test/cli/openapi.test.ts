// The command openapi compares the document of a service with an older one.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { commandLine } from './command-line.ts'

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
