import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'module-hooks-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function writePackage(path: string, version: string, text: string): void {
  write(`${path}/package.json`, JSON.stringify({ version, type: 'module', exports: './index.js' }))
  write(`${path}/index.js`, text)
}

/** Which copy of the peer each module gets. */
function readCopies(): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'app/main.js')], { encoding: 'utf8' })
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

const importPeer = "export { copy } from 'peer'"

// An application with the command line in `app/lib`, two packages that import its peer, and a config file elsewhere.
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  write('app/package.json', '{"type": "module"}')
  cpSync(join(import.meta.dirname, 'module-hooks.ts'), join(folder, 'app/lib/service/commands/module-hooks.ts'))
  const index = [{ name: 'peer', version: '1.0.0', modules: { peer: './peer.js' } }]
  write('app/lib/peers/index.json', JSON.stringify(index))
  write('app/lib/peers/peer.js', "export const copy = 'bundled'")
  write('app/config.js', importPeer)
  writePackage('app/node_modules/peer', '1.0.0', "export const copy = 'installed'")
  writePackage('app/node_modules/same', '1.0.0', importPeer)
  writePackage('app/node_modules/other', '1.0.0', importPeer)
  writePackage('app/node_modules/other/node_modules/peer', '2.0.0', "export const copy = 'its own'")
  write('elsewhere/config.mjs', importPeer)
  write(
    'app/main.js',
    `import { registerModuleHooks } from './lib/service/commands/module-hooks.ts'
registerModuleHooks()
const names = { config: './config.js', same: 'same', other: 'other', elsewhere: '../elsewhere/config.mjs' }
const copies = Object.entries(names).map(async ([name, path]) => [name, (await import(path)).copy])
console.log(JSON.stringify(Object.fromEntries(await Promise.all(copies))))`,
  )
})

test('all modules get the bundled copy, except packages that depend on another version', () => {
  assert.deepEqual(readCopies(), { config: 'bundled', same: 'bundled', other: 'its own', elsewhere: 'bundled' })
})

test('an application with another version of the peer gets its own', () => {
  writePackage('app/node_modules/peer', '1.0.1', "export const copy = 'installed'")
  assert.deepEqual(readCopies(), { config: 'installed', same: 'installed', other: 'its own', elsewhere: 'bundled' })
})
