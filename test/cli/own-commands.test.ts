// Commands that an application adds to those of the service: the program of docs/command-line.md.

import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parsePage } from '../support/page.ts'
import { commandLine } from './command-line.ts'

const repository = join(import.meta.dirname, '../..')
const page = readFileSync(join(repository, 'docs/command-line.md'), 'utf8')
const { code: program } = parsePage(page).find(({ name }) => name === 'manage.ts')!

test('a command of the application gets its arguments and the services', async context => {
  const { folder, run } = await commandLine(context)
  const file = join(folder, 'manage.ts')
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'resource-api.config.ts'), 'export default {}')
  const own = program.replace("'resource-api/service'", JSON.stringify(join(repository, 'src/service.ts')))
  writeFileSync(file, own)
  const manage = (args: readonly string[], input = '') => run(args, { command: [process.execPath, file], input })

  assert.equal((await manage(['migrate'])).code, 0)
  assert.equal((await manage(['createuser', 'ann'], 'a long password')).code, 0)
  assert.deepEqual(await manage(['greet', 'ann']), { code: 0, stdout: 'Hello, ann!\n', stderr: '' })
  assert.deepEqual(await manage(['greet', '--loud']), {
    code: 1,
    stdout: '',
    stderr: 'resource-api: there is no user "--loud"\n',
  })
  assert.match((await manage(['--help'])).stdout, /^ {2}greet .* greet a user$/m)
  assert.match((await manage(['greet', '--help'])).stdout, /^Usage: resource-api greet <username>$/m)

  writeFileSync(file, own.replace("'greet'", "'serve'"))
  const { code, stderr } = await manage(['serve'])
  assert.equal(code, 1)
  assert.match(stderr, /runCommandLine\(\): there is a command "serve" already: choose another name/)
})
