// Runs and formats the programs that the service writes. They are not in a project, so this file resolves their packages.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    /^(?:resource-api|kysely)(?:\/|$)/.test(specifier)
      ? next(specifier, { ...context, parentURL: import.meta.url })
      : next(specifier, context),
})

/** The exports of a program. */
export const runProgram = (text: string): Promise<Readonly<Record<string, unknown>>> =>
  import(`data:text/javascript,${encodeURIComponent(text)}`)

/** The program as Biome formats it. */
export function formatProgram(text: string): string {
  const { stdout, stderr } = spawnSync('node_modules/.bin/biome', ['format', '--stdin-file-path=src/program.ts'], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
  })
  assert.equal(stderr, '')
  return stdout
}
