// Finds the changes that lead from one state to another, in an order in which each of them is possible, and asks what the states
// do not say. It needs no database.

import { addRenames, resolveAnswers } from './answered-names.ts'
import { askAboutTables } from './ask-about-tables.ts'
import type { Change } from './change.ts'
import { changeColumns } from './change-columns.ts'
import { changeViews } from './change-views.ts'
import { createTables } from './create-tables.ts'
import { createDraft, type Draft, dropColumn, dropTables } from './draft.ts'
import { type Answers, noAnswers, type Question, WrongAnswer } from './question.ts'
import { isSame } from './same-state.ts'
import type { SchemaState } from './schema-state.ts'

export interface FoundChanges {
  /** Empty if there are questions. */
  readonly changes: readonly Change[]
  readonly questions: readonly Question[]
}

/**
 * The changes that lead from `from` to `to`. Drops come before what takes their names, references to a table after the table. Throws
 * WrongAnswer if an answer does not fit.
 */
export function findChanges(from: SchemaState, to: SchemaState, answers: Answers = noAnswers): FoundChanges {
  const draft = createDraft(from)
  const { tables, columns, dropped } = resolveAnswers(from, to, answers)
  for (const [table, column] of dropped.columns)
    if (Object.hasOwn(draft.state.tables[table]!.columns, column)) dropColumn(draft, table, column)
  dropTables(draft, dropped.tables)
  addRenames(draft, tables, columns)
  const { questions: namesToAsk, open } = askAboutTables(draft.state, to, tables)
  const common = Object.keys(to.tables).filter(table => Object.hasOwn(draft.state.tables, table) && !open.has(table))
  dropParts(draft, to, common)
  createTables(draft, to)
  const { questions: valuesToAsk, usedFills } = changeColumns(draft, to, common, { answers, open })
  addParts(draft, to, common)
  checkFills(answers, usedFills, [...namesToAsk, ...valuesToAsk])
  const questions = [...namesToAsk, ...valuesToAsk]
  return { questions, changes: questions.length > 0 ? [] : changeViews(from, to, draft.changes) }
}

// A fill may belong to a column that another answer will make new.
function checkFills({ fills }: Answers, used: ReadonlySet<string>, questions: readonly Question[]): void {
  const unused = [...fills.keys()].find(name => !used.has(name))
  if (unused !== undefined && questions.length === 0)
    throw new WrongAnswer(`--fill ${unused}: no column of this name is new, or may no longer be null`)
}

// All names of indexes are free before one of them is used again.
function dropParts(draft: Draft, to: SchemaState, common: readonly string[]): void {
  const names = new Set(Object.values(draft.state.tables).flatMap(({ indexes }) => Object.keys(indexes)))
  const renames: Change[] = []
  for (const table of common) {
    const { indexes, checks } = draft.state.tables[table]!
    const target = to.tables[table]!
    const newNames = Object.keys(target.indexes).filter(name => !names.has(name))
    for (const [name, index] of Object.entries(indexes)) {
      if (isSame(index, target.indexes[name])) continue
      const newName = newNames.find(each => isSame(index, target.indexes[each]))
      if (newName === undefined) draft.add({ table, dropIndex: name })
      else renames.push({ table, renameIndex: name, to: newNames.splice(newNames.indexOf(newName), 1)[0]! })
    }
    for (const [name, check] of Object.entries(checks))
      if (!isSame(check, target.checks[name])) draft.add({ table, dropCheck: name })
  }
  draft.add(...renames)
}

function addParts(draft: Draft, to: SchemaState, common: readonly string[]): void {
  for (const table of common) {
    const { indexes, checks } = to.tables[table]!
    const current = draft.state.tables[table]!
    for (const [name, index] of Object.entries(indexes))
      if (!Object.hasOwn(current.indexes, name)) draft.add({ table, addIndex: name, ...index })
    for (const [name, sql] of Object.entries(checks))
      if (!Object.hasOwn(current.checks, name)) draft.add({ table, addCheck: name, sql })
  }
}
