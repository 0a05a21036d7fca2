import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'

const install: {
  findDifference(root: string): string | undefined
  takeLock(file: string): boolean
} = createRequire(import.meta.url)('./install.cjs')

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'))
})
afterEach(() => rmSync(root, { recursive: true }))

suite('findDifference', () => {
  const zod = { 'node_modules/zod': { version: '4.0.0' } }

  test('a missing or broken package-lock.json is reported', () => {
    assert.equal(install.findDifference(root), 'package-lock.json cannot be read')
    writeFileSync(join(root, 'package-lock.json'), '{')
    assert.equal(install.findDifference(root), 'package-lock.json cannot be read')
  })

  test('in a fresh checkout nothing is installed', () => {
    writeLocks(zod, undefined)
    assert.equal(install.findDifference(root), 'nothing is installed')
  })

  test('with the same versions there is no difference, even if other packages are installed', () => {
    writeLocks(zod, { ...zod, 'node_modules/left-over': { version: '1.0.0' } })
    assert.equal(install.findDifference(root), undefined)
  })

  test('a missing package and one of another version are differences', () => {
    writeLocks(zod, {})
    assert.equal(install.findDifference(root), 'node_modules/zod is not at 4.0.0')
    writeLocks(zod, { 'node_modules/zod': { version: '3.0.0' } })
    assert.equal(install.findDifference(root), 'node_modules/zod is not at 4.0.0')
  })

  test('an optional package may be missing, but not outdated', () => {
    const wanted = { 'node_modules/biome-linux': { version: '2.0.0', optional: true } }
    writeLocks(wanted, {})
    assert.equal(install.findDifference(root), undefined)
    writeLocks(wanted, { 'node_modules/biome-linux': { version: '1.0.0' } })
    assert.equal(install.findDifference(root), 'node_modules/biome-linux is not at 2.0.0')
  })

  test('the package node without its binary is a difference', () => {
    const node = { 'node_modules/node': { version: '24.0.0' } }
    writeLocks(node, node)
    assert.equal(install.findDifference(root), 'the Node binary is missing')
    for (const folder of ['.bin', 'node/bin']) {
      const file = join(root, 'node_modules', folder, 'node')
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, '')
      chmodSync(file, 0o755)
    }
    assert.equal(install.findDifference(root), undefined)
  })

  function writeLocks(wanted: object, installed: object | undefined) {
    const packages = { '': { version: '0.1.0' }, ...wanted }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
    if (!installed) return
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
  }
})

suite('takeLock', () => {
  test('a lock can be taken once, and again after its release', () => {
    const file = join(root, 'lock')
    assert.deepEqual([install.takeLock(file), install.takeLock(file)], [true, false])
    unlinkSync(file)
    assert.equal(install.takeLock(file), true)
  })

  test('a lock whose process is gone is removed for the next attempt', () => {
    const file = join(root, 'lock')
    writeFileSync(file, String(spawnSync(process.execPath, ['--version']).pid))
    assert.deepEqual([install.takeLock(file), install.takeLock(file)], [false, true])
  })

  test('a lock older than any installation is removed, even if its process id is in use', () => {
    const file = join(root, 'lock')
    writeFileSync(file, String(process.pid))
    const anHourAgo = Date.now() / 1000 - 3600
    utimesSync(file, anHourAgo, anHourAgo)
    assert.deepEqual([install.takeLock(file), install.takeLock(file)], [false, true])
  })
})
