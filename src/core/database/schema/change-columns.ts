// Changes the columns of tables that exist, and asks for the values of the rows that exist.

import { isComputedAnew } from './answered-names.ts'
import { type Draft, dropColumn, mentions } from './draft.ts'
import { type Answers, type Question, WrongAnswer } from './question.ts'
import { isSame } from './same-state.ts'
import type { ColumnState, DefaultValue, SchemaState } from './schema-state.ts'

export interface FillOptions {
  readonly answers: Answers
  /** The columns that may still turn out to be renamed. */
  readonly open: ReadonlySet<string>
}

export interface ColumnQuestions {
  readonly questions: readonly Question[]
  readonly usedFills: ReadonlySet<string>
}

export function changeColumns(
  draft: Draft,
  to: SchemaState,
  tables: readonly string[],
  { answers: { fills, defaults = {} }, open }: FillOptions,
): ColumnQuestions {
  const questions: Question[] = []
  const usedFills = new Set<string>()
  const findFill: FindFill = (name, column, isNew) => {
    const fill = fills.get(name)
    if (fill !== undefined) {
      usedFills.add(name)
      if (fill !== null) return { fill }
      if (!isNew) return {}
      throw new WrongAnswer(`--fill ${name}: the column is new, so that the rows have no values: give one`)
    }
    if (column.nullable === true) return {}
    if (column.default !== undefined) return isNew ? {} : { fill: column.default }
    if (Object.hasOwn(defaults, name)) return { fill: defaults[name]! }
    if (!open.has(name)) questions.push(askForValue(name, isNew))
    return {}
  }
  for (const table of tables) {
    dropComputed(draft, to, table)
    alterColumns(draft, to, table, findFill)
  }
  for (const table of tables) addColumns(draft, to, table, findFill)
  return { questions, usedFills }
}

type FindFill = (name: string, column: ColumnState, isNew: boolean) => { readonly fill?: DefaultValue }

const askForValue = (name: string, isNew: boolean): Question =>
  isNew
    ? {
        problem: `${name} is NOT NULL without a value for existing rows`,
        answers: [{ fill: name, isOptional: false }],
        advice: 'give it a default',
      }
    : {
        problem: `${name} may no longer be null`,
        answers: [
          { fill: name, isOptional: false },
          { fill: name, isOptional: true },
        ],
        advice: 'give it a default',
      }

// The database computes their values again.
function dropComputed(draft: Draft, to: SchemaState, table: string): void {
  const target = to.tables[table]!.columns
  const { columns } = draft.state.tables[table]!
  const converted = Object.keys(columns).filter(
    name => Object.hasOwn(target, name) && !isSame(columns[name]!.type, target[name]!.type),
  )
  for (const [name, column] of Object.entries(columns)) {
    if (column.generated === undefined || !Object.hasOwn(draft.state.tables[table]!.columns, name)) continue
    const isGone = !Object.hasOwn(target, name)
    const isOther = !isGone && target[name]!.generated !== undefined && !isSame(column, target[name])
    if (isGone || isOther || converted.some(each => mentions(column.generated, each))) dropColumn(draft, table, name)
  }
}

function alterColumns(draft: Draft, to: SchemaState, table: string, findFill: FindFill): void {
  for (const [name, column] of Object.entries(draft.state.tables[table]!.columns)) {
    const target = to.tables[table]!.columns[name]
    if (target === undefined || isSame(column, target) || isComputedAnew(column, target)) continue
    const needsFill = column.nullable === true && target.nullable === undefined
    const fill = needsFill ? findFill(`${table}.${name}`, target, false) : {}
    draft.add({ table, alterColumn: name, ...target, ...fill })
  }
}

// Generated columns may be computed from other new columns.
function addColumns(draft: Draft, to: SchemaState, table: string, findFill: FindFill): void {
  const missing = Object.entries(to.tables[table]!.columns).filter(
    ([name]) => !Object.hasOwn(draft.state.tables[table]!.columns, name),
  )
  for (const [name, column] of missing.toSorted(([, one], [, other]) => compareGenerated(one, other))) {
    const fill = column.generated === undefined ? findFill(`${table}.${name}`, column, true) : {}
    draft.add({ table, addColumn: name, ...column, ...fill })
  }
}

const compareGenerated = (one: ColumnState, other: ColumnState): number =>
  Number(one.generated !== undefined) - Number(other.generated !== undefined)
