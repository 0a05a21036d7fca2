import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isFromRegistry } from './package-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'package-source-'))
after(() => rmSync(folder, { recursive: true }))

/** Installs the package as npm records it, and returns its folder. */
function install(name: string, entry: object | undefined): string {
  const modules = join(folder, name, 'node_modules')
  mkdirSync(modules, { recursive: true })
  const lock = { lockfileVersion: 3, packages: entry && { 'node_modules/resource-api': entry } }
  if (entry !== undefined) writeFileSync(join(modules, '.package-lock.json'), JSON.stringify(lock))
  return join(modules, 'resource-api')
}

test('npm records whether a package came from a registry', () => {
  for (const [index, [resolved, expected]] of [
    ['https://registry.example.org/resource-api/-/resource-api-0.1.0.tgz', true],
    ['https://npm.example.org/mirror/resource-api/-/resource-api-0.1.0.tgz', true],
    [undefined, true],
    ['file:../resource-api-0.1.0.tgz', false],
    ['https://example.org/downloads/resource-api-0.1.0.tgz', false],
    ['git+ssh://git@github.com/example/resource-api.git#6c5d627f7a76904c682704885efdb365a28c78e9', false],
  ].entries())
    assert.equal(isFromRegistry(install(`npm-${index}`, { version: '0.1.0', resolved })), expected, String(resolved))
})

test('a folder that is not installed is not from a registry; without a record, an installed one is', () => {
  assert.equal(isFromRegistry(join(folder, 'clone')), false)
  assert.equal(isFromRegistry(install('other-package-manager', undefined)), true)
})
