// Loaded into a service by `durability.ts`. At SIGUSR2 it prints the file and the durability pragmas of each open
// SQLite connection. Pragmas belong to a connection, so another process cannot read them.

import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'

const databases = new Set<DatabaseSync>()
const { exec, prepare } = DatabaseSync.prototype

function readDurability(database: DatabaseSync) {
  const pragma = (name: string) => Object.values(prepare.call(database, `pragma ${name}`).get() ?? {})[0]
  return {
    file: database.location(),
    synchronous: pragma('synchronous'),
    journalMode: pragma('journal_mode'),
    isReadOnly: pragma('query_only') === 1,
  }
}

if (isMainThread) {
  // The prototype is patched, because modules that import the class by name keep the original class.
  DatabaseSync.prototype.exec = function (sql) {
    databases.add(this)
    exec.call(this, sql)
  }
  DatabaseSync.prototype.prepare = function (sql, options) {
    databases.add(this)
    return prepare.call(this, sql, options)
  }
  process.on('SIGUSR2', () => {
    const found = [...databases].filter(database => database.isOpen).map(readDurability)
    process.stderr.write(`durability ${JSON.stringify(found)}\n`)
  })
}
