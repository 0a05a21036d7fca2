// All that lies in a folder, so that a fault can show that nothing of it was changed.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newFolder } from './service.ts'

/** What lies in a folder and below, by path: the kind, the mode, the time of the last change and the content's hash. */
export async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await describe(join(folder, name))])))
}

async function describe(path: string): Promise<string> {
  const found = await lstat(path)
  const mode = found.mode.toString(8)
  // A folder's time changes with each file that SQLite makes and removes; its content is in the snapshot itself.
  if (found.isDirectory()) return mode
  if (found.isSymbolicLink()) return `${mode} ${await readlink(path)}`
  if (!found.isFile()) return mode
  return `${mode} ${found.mtimeMs} ${found.size} ${hash('sha256', await readFile(path))}`
}

/**
 * Throws if something that was there is different or gone, or if something new holds data. SQLite makes empty files when it
 * opens; the file of rates, which may be removed at any time, is made before the database is known to be good.
 */
export function assertUntouched(
  name: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): void {
  const isHarmless = ([path, text]: readonly [string, string]) =>
    !(path in before) && (/-rates(?:-wal|-shm)?$/.test(path) || text.split(' ')[2] === '0')
  const found = Object.fromEntries(Object.entries(after).filter(entry => !isHarmless(entry)))
  assert.deepEqual(found, before, `${name}: all is as it was`)
}

/**
 * The hashes of the rows of a database by table, and of its schema. The database and its log are copied first: the last
 * program that closes a database brings its log into the file, and so would this one.
 */
export async function contentOf(file: string): Promise<Readonly<Record<string, string>>> {
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
