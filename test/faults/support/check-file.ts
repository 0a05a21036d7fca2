import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'

/** Throws where SQLite finds something wrong in the file, or a row that names one that is not there. */
export function checkFile(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    assert.equal(database.prepare('pragma foreign_key_check').all().length, 0)
  } finally {
    database.close()
  }
}
