// Loaded into a service by `durability.ts`: at SIGUSR2 it says, for each SQLite connection that is open, which file it has
// open and how it writes. The pragmas belong to the connection, so no other process can ask for them.

import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'

const used = new Set<DatabaseSync>()
const { exec, prepare } = DatabaseSync.prototype

function look(database: DatabaseSync) {
  const pragma = (name: string) => Object.values(prepare.call(database, `pragma ${name}`).get() ?? {})[0]
  return {
    file: database.location(),
    synchronous: pragma('synchronous'),
    journalMode: pragma('journal_mode'),
    isReadOnly: pragma('query_only') === 1,
  }
}

if (isMainThread) {
  // The class cannot be replaced: modules that import it by name keep the original.
  DatabaseSync.prototype.exec = function (sql) {
    used.add(this)
    exec.call(this, sql)
  }
  DatabaseSync.prototype.prepare = function (sql, options) {
    used.add(this)
    return prepare.call(this, sql, options)
  }
  process.on('SIGUSR2', () => {
    const found = [...used].filter(database => database.isOpen).map(look)
    process.stderr.write(`durability ${JSON.stringify(found)}\n`)
  })
}
