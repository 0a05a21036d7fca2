// An owner of tables for the tests of this folder, with a temporary folder of steps.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { SchemaState } from '#core'
import '../code/testing.ts'
import { type DeclaredOwner, readOwners } from './owners.ts'

export interface TestOwner {
  readonly folder: string
  /** The owner with its present steps. */
  read(state?: SchemaState): Promise<DeclaredOwner>
  /** Writes a step; `declared` is the text of its declaration. */
  write(name: string, declared: string): void
}

export function createOwner(context: TestContext, owner = 'blog'): TestOwner {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-steps-'))
  context.after(() => rmSync(folder, { recursive: true }))
  return {
    folder,
    async read(state) {
      const [read] = await readOwners([{ owner, steps: folder, ...(state && { state }) }])
      return read!
    },
    write(name, declared) {
      const text = `import { step } from 'resource-api/migrations'\n\nexport default ${declared}\n`
      writeFileSync(join(folder, `${name}.ts`), text)
    },
  }
}

/** A state of tables with these columns, and a key. */
export const createState = (
  tables: Readonly<Record<string, SchemaState['tables'][string]['columns']>>,
): SchemaState => ({
  tables: Object.fromEntries(
    Object.entries(tables).map(([name, columns]) => [
      name,
      { columns: { id: { type: 'key' as const }, ...columns }, key: ['id'], indexes: {}, checks: {} },
    ]),
  ),
  views: {},
})
