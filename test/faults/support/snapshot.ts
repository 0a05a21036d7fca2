// Takes snapshots of folders and databases, to show that a fault has not changed them.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newFolder } from './service.ts'

/** Returns the mode, the modification time, the size and the content hash of all files below a folder, by path. */
export async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await describe(join(folder, name))])))
}

async function describe(path: string): Promise<string> {
  const found = await lstat(path)
  const mode = found.mode.toString(8)
  // The time of a folder is left out, because it changes when SQLite creates and deletes temporary files.
  if (found.isDirectory()) return mode
  if (found.isSymbolicLink()) return `${mode} ${await readlink(path)}`
  if (!found.isFile()) return mode
  return `${mode} ${found.mtimeMs} ${found.size} ${hash('sha256', await readFile(path))}`
}

/**
 * Throws if a file has changed or disappeared, or if a new file has content. SQLite creates empty files when it opens a
 * database; these are allowed.
 */
export function assertUntouched(
  name: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): void {
  const isHarmless = ([path, text]: readonly [string, string]) => !(path in before) && text.split(' ')[2] === '0'
  const found = Object.fromEntries(Object.entries(after).filter(entry => !isHarmless(entry)))
  assert.deepEqual(found, before, `${name}: no file has changed`)
}

/**
 * Returns the hashes of the schema and of the rows of each table. Reads a copy of the database and its write-ahead log,
 * because closing the original would move the log into the file.
 */
export async function hashContent(file: string): Promise<Readonly<Record<string, string>>> {
  const copy = `${await newFolder()}/copy.db`
  await cp(file, copy)
  if (existsSync(`${file}-wal`)) await cp(`${file}-wal`, `${copy}-wal`)
  const database = new DatabaseSync(copy)
  try {
    const schema = database.prepare('select * from sqlite_schema order by name').all()
    const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name))
    const rows = tables.map(name => [name, database.prepare(`select * from "${name}" order by rowid`).all()] as const)
    return Object.fromEntries(
      [['the schema', schema] as const, ...rows].map(([name, found]) => [name, hash('sha256', JSON.stringify(found))]),
    )
  } finally {
    database.close()
  }
}
