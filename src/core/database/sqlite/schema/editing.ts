// What the changes of a step on SQLite share: the tables that have to be rebuilt.

import type { Kysely } from 'kysely'
import type { RowSource } from '../../editors/rows.ts'
import type { ReferenceState } from '../../schema/schema-state.ts'
import { findSource, rebuild } from './rebuild.ts'
import { readTable } from './sqlite-table.ts'
import { createEdit, type TableEdit } from './table-edit.ts'

/** The changes of a step, as far as they have run. */
export interface Editing {
  readonly kysely: Kysely<unknown>
  /** The tables that have to be rebuilt. */
  readonly edits: Map<string, TableEdit>
  /** The references that the step has added. */
  readonly references: AddedReference[]
  execute(text: string): Promise<void>
}

export interface AddedReference {
  readonly table: string
  readonly column: string
  readonly references: ReferenceState
}

export const readSource = async ({ kysely }: Editing, table: string): Promise<RowSource> =>
  findSource(kysely, { table: await readTable(kysely, table) })

export async function findEdit({ kysely, edits }: Editing, table: string): Promise<TableEdit> {
  const found = edits.get(table) ?? createEdit(await readTable(kysely, table))
  edits.set(table, found)
  return found
}

export async function build({ kysely, edits }: Editing, table: string): Promise<void> {
  const edit = edits.get(table)
  edits.delete(table)
  if (edit !== undefined) await rebuild(kysely, edit)
}

export async function buildAll(editing: Editing): Promise<void> {
  for (const table of editing.edits.keys()) await build(editing, table)
}
