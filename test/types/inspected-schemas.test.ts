// What `resource-api inspect --resources` prints for the tables of other programs compiles as it is, and Biome does not change it.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatProgram } from '../../src/service/code/testing.ts'
import { dumps, inspect, openDump } from '../support/inspected-database.ts'

suite('the output of inspect', () => {
  for (const [program, kind] of dumps)
    for (const django of program.startsWith('django') ? [true, false] : [false])
      test(`${program}, ${kind}${django ? ', --django' : ''}: compiles`, async context => {
        const { text, project } = await inspect(await openDump(program, kind, context), context, { django })
        assert.equal(await project.compile('--noEmit'), '')
        assert.equal(formatProgram(text), text)
      })
})
