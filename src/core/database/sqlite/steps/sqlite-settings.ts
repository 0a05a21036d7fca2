// The settings of an SQLite connection while steps run. `drop table` first deletes the rows of the table, and if foreign keys are
// on, the rows that refer to them are deleted too. SQLite ignores this setting inside a transaction, so it is set before.

import type { DatabaseSync } from 'node:sqlite'

/** The settings that a step may change, and those that it needs. */
const names = [
  'foreign_keys',
  'legacy_alter_table',
  'ignore_check_constraints',
  'recursive_triggers',
  'writable_schema',
] as const

type Settings = Partial<Record<(typeof names)[number], number>>

export interface StepSettings {
  /** Prepares the connection for steps. Call it before the transaction begins. */
  prepare(): void
  /** Restores the settings that the connection had; does nothing if it has them. Throws inside a transaction. */
  restore(): void
}

export function createStepSettings(handle: DatabaseSync): StepSettings {
  let before: Settings | undefined
  return {
    prepare() {
      before = Object.fromEntries(names.map(name => [name, readSetting(handle, name)]))
      writeSettings(handle, { foreign_keys: 0, legacy_alter_table: 0 })
    },
    restore() {
      if (before === undefined) return
      writeSettings(handle, before)
      before = undefined
    },
  }
}

const readSetting = (handle: DatabaseSync, name: string): unknown => handle.prepare(`pragma ${name}`).get()?.[name]

function writeSettings(handle: DatabaseSync, settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    handle.exec(`pragma ${name} = ${value}`)
    if (readSetting(handle, name) !== value) throw new Error(`SQLite ignores "pragma ${name} = ${value}"`)
  }
}

/**
 * Runs a statement that renames a table without changing what other objects say about it. Otherwise SQLite would first resolve
 * all views and triggers, which fails while the table that they need does not exist.
 */
export function withLegacyRename<Result>(handle: DatabaseSync, run: () => Result): Result {
  handle.exec('pragma legacy_alter_table = 1')
  try {
    return run()
  } finally {
    handle.exec('pragma legacy_alter_table = 0')
  }
}
