// docs/command-line.md names every command, and every option that a command has.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { program } from '../support/built-program.ts'

const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')

async function readHelp(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--help'])
  return stdout
}

const listCommands = (help: string): readonly string[] =>
  [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name]) => name!)
    .filter(name => name !== 'help')

test('docs/command-line.md lists each command, and no others', async () => {
  const listed = [...page.matchAll(/^\| `([a-z][a-z-]*)(?![a-z-]| [a-z])[^`-]*` \|/gm)].map(([, name]) => name!)
  assert.deepEqual(listed.toSorted(), [...listCommands(await readHelp())].toSorted())
  const ofMigrations = [...page.matchAll(/^\| `migrations ([a-z]+)/gm)].map(([, name]) => name!)
  assert.deepEqual(ofMigrations.toSorted(), [...listCommands(await readHelp('migrations'))].toSorted())
})

test('docs/command-line.md names each option', async () => {
  const commands = listCommands(await readHelp()).filter(name => name !== 'new')
  const ofMigrations = listCommands(await readHelp('migrations')).map(name => ['migrations', name])
  const all = [...commands.map(name => [name]), ...ofMigrations]
  const helps = await Promise.all(all.map(command => readHelp(...command)))
  for (const [index, help] of helps.entries())
    for (const [, option] of help.matchAll(/^ {2}(?:-h, )?(--[a-z]+)/gm))
      assert.ok(page.includes(option!), `${all[index]!.join(' ')} ${option}`)
})
