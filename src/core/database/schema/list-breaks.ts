// Which changes a program from before them does not survive: while a new version is deployed, both run beside each other.

import { applyChanges } from './apply-changes.ts'
import type { AddColumn, AlterColumn, Change } from './change.ts'
import { mentions } from './draft.ts'
import { isSame } from './same-state.ts'
import type { ColumnState, SchemaState } from './schema-state.ts'

/**
 * For each change, what fails in a program from before all of them, as a part of a sentence, such as `uses articles.body`; undefined if
 * nothing does. `before` is the state before the changes.
 */
export function findBreaks(before: SchemaState, changes: readonly Change[]): readonly (string | undefined)[] {
  let state = before
  return changes.map((change, index) => {
    const found = findBreak(change, { state, before, changes, index })
    state = applyChanges(state, [change])
    return found
  })
}

/** What fails in a program from before the changes, as parts of a sentence; `before` is the state before them. */
export const listBreaks = (before: SchemaState, changes: readonly Change[]): readonly string[] =>
  findBreaks(before, changes).filter(each => each !== undefined)

interface Place {
  /** The state before the change. */
  readonly state: SchemaState
  /** The state before all changes. */
  readonly before: SchemaState
  readonly changes: readonly Change[]
  readonly index: number
}

type TableChange = Extract<Change, { readonly table: string }>

function findBreak(change: Change, place: Place): string | undefined {
  if ('dropTable' in change) return `uses the table ${change.dropTable}`
  if ('renameTable' in change) return `uses the table ${change.renameTable}`
  if ('dropView' in change) {
    const isCreatedAgain = place.changes.some(each => 'createView' in each && each.createView === change.dropView)
    return isCreatedAgain ? undefined : `uses the view ${change.dropView}`
  }
  // It does not know a table that is new.
  return 'table' in change && Object.hasOwn(place.before.tables, change.table)
    ? findTableBreak(change, place)
    : undefined
}

function findTableBreak(change: TableChange, place: Place): string | undefined {
  const { table } = change
  if ('dropColumn' in change) return `uses ${table}.${change.dropColumn}`
  if ('renameColumn' in change) return `uses ${table}.${change.renameColumn}`
  if ('addColumn' in change) return isFilled(change) ? undefined : `does not write ${table}.${change.addColumn}`
  if ('alterColumn' in change) return findColumnBreak(change, place)
  if ('addCheck' in change) {
    const isAboutNew = listAdded(table, place).some(({ addColumn }) => mentions(change.sql, addColumn))
    return isAboutNew ? undefined : `may write what the check ${change.addCheck} of ${table} refuses`
  }
  if ('addIndex' in change) {
    if (!change.unique) return undefined
    // Null does not equal null.
    const isNull = ({ addColumn, nullable, default: value }: AddColumn) =>
      nullable === true && value === undefined && change.columns.some(name => name.replace(/^-/, '') === addColumn)
    return listAdded(table, place).some(isNull) ? undefined : `may write what ${change.addIndex} of ${table} refuses`
  }
  const isUnique = 'dropIndex' in change && place.state.tables[table]!.indexes[change.dropIndex]!.unique === true
  return isUnique ? `needs the unique index ${change.dropIndex} of ${table}` : undefined
}

const isFilled = ({ nullable, default: value, generated }: ColumnState): boolean =>
  nullable === true || value !== undefined || generated !== undefined

/** The columns that earlier changes have added to a table. */
const listAdded = (table: string, { changes, index }: Place): readonly AddColumn[] =>
  changes.slice(0, index).filter(each => 'addColumn' in each && each.table === table) as readonly AddColumn[]

function findColumnBreak(change: AlterColumn, place: Place): string | undefined {
  const { table, alterColumn: name, type, nullable, default: value, references } = change
  const column = place.state.tables[table]!.columns[name]!
  if (!isSame(type, column.type)) return `writes ${table}.${name} as another type`
  if (column.nullable === true && nullable === undefined) return `may write null to ${table}.${name}`
  if (listAdded(table, place).some(({ addColumn }) => addColumn === name))
    return isFilled(change) ? undefined : `does not write ${table}.${name}`
  if (column.default !== undefined && !isSame(value, column.default)) return `needs the default of ${table}.${name}`
  return isSame(references, column.references) ? undefined : `needs the references of ${table}.${name} as they were`
}
