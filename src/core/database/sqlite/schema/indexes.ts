// Drops and renames indexes of SQLite. A UNIQUE constraint, which has an index without a statement, counts as one.

import { quote } from '../../catalogue.ts'
import { tokenize } from '../sqlite-definitions.ts'
import { definitions } from './definitions.ts'
import { build, type Editing, findEdit } from './editing.ts'
import { findIndexName } from './sqlite-state.ts'
import { type CatalogueIndex, readTable } from './sqlite-table.ts'
import { editDroppedUnique } from './table-edit.ts'

async function findIndex({ kysely }: Editing, table: string, name: string): Promise<CatalogueIndex> {
  const { indexes } = await readTable(kysely, table)
  const index = indexes.find(each => findIndexName(table, each) === name)
  if (index === undefined) throw new Error(`table "${table}": index "${name}" does not exist`)
  return index
}

export async function dropIndex(editing: Editing, table: string, name: string): Promise<void> {
  const { origin, parts } = await findIndex(editing, table, name)
  if (origin !== 'u') return editing.execute(`drop index ${quote(name)}`)
  editDroppedUnique(
    await findEdit(editing, table),
    parts.map(part => part.name!),
  )
}

/** SQLite cannot rename an index, so it is created again. */
export async function renameIndex(editing: Editing, table: string, name: string, to: string): Promise<void> {
  const { sql, parts } = await findIndex(editing, table, name)
  await dropIndex(editing, table, name)
  if (sql === null) {
    await build(editing, table)
    return editing.execute(definitions.formatIndex(table, to, { columns: parts.map(part => part.name!), unique: true }))
  }
  const tokens = tokenize(sql)
  const on = tokens.findIndex(token => /^on$/i.test(token.text))
  const [old, onToken] = [tokens[on - 1]!, tokens[on]!]
  await editing.execute(`${sql.slice(0, old.start)}${quote(to)} ${sql.slice(onToken.start)}`)
}
