import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'

/** Throws if the integrity check or the foreign key check of SQLite finds an error. */
export function checkFile(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    assert.equal(database.prepare('pragma foreign_key_check').all().length, 0)
  } finally {
    database.close()
  }
}
