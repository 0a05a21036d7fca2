// The steps of the examples and of new projects make the tables that they declare.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { program } from '../test/support/built-program.ts'

for (const [option, file] of [
  ['--config', 'examples/shop/resource-api.config.ts'],
  ['--config', 'templates/service/resource-api.config.ts'],
  ['--from', 'templates/minimal/tables.ts'],
] as const)
  test(file, () => {
    const output = execFileSync(process.execPath, [program, 'migrations', 'check', option, file], { encoding: 'utf8' })
    assert.equal(output, 'No problems: the steps make the declared tables.\n')
  })
