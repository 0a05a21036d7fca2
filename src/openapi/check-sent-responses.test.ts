import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))

test('a service loads the validator of schemas only if it compares its responses with the document', () => {
  const isLoaded = (...sources: readonly string[]) => {
    const program = `import { createRequire } from 'node:module'
      ${sources.map(source => `await import('${source}')`).join('\n')}
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter(name => name.endsWith('2020.js'))
      process.stdout.write(String(loaded.length > 0))`
    const args = ['--input-type=module', '--eval', program]
    return execFileSync(process.execPath, args, { cwd: repository, encoding: 'utf8' }) === 'true'
  }
  assert.equal(isLoaded('resource-api', 'resource-api/service', 'resource-api/testing'), false)
  assert.equal(isLoaded('./src/openapi/response-checker.ts'), true)
})
