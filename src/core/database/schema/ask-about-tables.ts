// Asks about tables and columns that are gone: whether something new is the same under another name, or the data may be lost.

import { hasSameKey, isComputedAnew } from './answered-names.ts'
import type { Answer, Question } from './question.ts'
import { isSame } from './same-state.ts'
import type { SchemaState, TableState } from './schema-state.ts'

export interface OpenQuestions {
  readonly questions: readonly Question[]
  /** The tables, and the columns as `table.column`, about which nothing else is asked yet. */
  readonly open: ReadonlySet<string>
}

/** `renamed`: the former names of tables, with those that they have in `state`. */
export function askAboutTables(
  state: SchemaState,
  to: SchemaState,
  renamed: ReadonlyMap<string, string>,
): OpenQuestions {
  const isIn = (tables: SchemaState['tables']) => (name: string) => Object.hasOwn(tables, name)
  const gone = Object.keys(state.tables).filter(name => !isIn(to.tables)(name))
  const added = Object.keys(to.tables).filter(name => !isIn(state.tables)(name))
  const toFormer = (name: string) => [...renamed].find(([, newName]) => newName === name)?.[0] ?? name
  const found = gone.map(name => askAboutTable(name, state, to, added))
  for (const name of Object.keys(state.tables).filter(isIn(to.tables)))
    found.push(...askAboutColumns({ name, former: toFormer(name) }, state.tables[name]!, to.tables[name]!))
  return { questions: found.map(({ question }) => question), open: new Set(found.flatMap(({ open }) => open)) }
}

interface OpenQuestion {
  readonly question: Question
  readonly open: readonly string[]
}

function askAboutTable(name: string, state: SchemaState, to: SchemaState, added: readonly string[]): OpenQuestion {
  const columns = Object.keys(state.tables[name]!.columns)
  const alike = added.filter(other => {
    const common = columns.filter(column => Object.hasOwn(to.tables[other]!.columns, column))
    return common.length * 2 >= columns.length
  })
  return { question: createQuestion(name, alike, name), open: [name] }
}

interface TableNames {
  readonly name: string
  readonly former: string
}

function askAboutColumns(names: TableNames, state: TableState, target: TableState): readonly OpenQuestion[] {
  const { name: table, former } = names
  const gone = Object.keys(state.columns).filter(column => !Object.hasOwn(target.columns, column))
  const added = Object.keys(target.columns).filter(column => !Object.hasOwn(state.columns, column))
  const lostKeys = gone.filter(column => state.key.includes(column))
  if (!hasSameKey(state, target) && lostKeys.length === 0) return [askAboutKey(names, state, target)]
  const replaced = Object.keys(state.columns).filter(
    name => Object.hasOwn(target.columns, name) && isComputedAnew(state.columns[name]!, target.columns[name]!),
  )
  return [
    ...gone.flatMap(column => {
      // What the database computes is not lost.
      if (state.columns[column]!.generated !== undefined) return []
      const candidates = findCandidates(column, state, target, added)
      const isKey = lostKeys.includes(column)
      const others = candidates.map(name => `${table}.${name}`)
      const question = createQuestion(`${table}.${column}`, others, isKey ? former : `${table}.${column}`)
      return [{ question, open: isKey ? [table] : others.length === 1 ? others : [] }]
    }),
    ...replaced.map(column => askAboutValues(`${table}.${column}`)),
  ]
}

// A column of the same type, or else any.
function findCandidates(
  name: string,
  state: TableState,
  target: TableState,
  added: readonly string[],
): readonly string[] {
  const stored = added.filter(other => target.columns[other]!.generated === undefined)
  const alike = stored.filter(other => isSame(target.columns[other]!.type, state.columns[name]!.type))
  return alike.length > 0 ? alike : stored
}

function createQuestion(gone: string, candidates: readonly string[], dropped: string): Question {
  const answers: readonly Answer[] = [...candidates.map(to => ({ rename: gone, to })), { drop: dropped }]
  if (candidates.length === 0) return { problem: `${gone} is gone, and its data would be lost`, answers }
  const listed = [candidates.slice(0, -1).join(', '), candidates.at(-1)].filter(Boolean).join(' and ')
  return { problem: `${listed} ${candidates.length === 1 ? 'is' : 'are'} new and ${gone} is gone`, answers }
}

const byHand = 'write a step with "run", and say as "state" what it changes'

const askAboutKey = ({ name: table, former }: TableNames, state: TableState, target: TableState): OpenQuestion => ({
  question: {
    problem: `the primary key of ${table} changes from ${state.key.join(', ')} to ${target.key.join(', ')}, which needs a new table without the rows`,
    answers: [{ drop: former }],
    advice: byHand,
  },
  open: [table],
})

const askAboutValues = (name: string): OpenQuestion => ({
  question: {
    problem: `${name} becomes a generated column, and its values would be lost`,
    answers: [{ drop: name }],
    advice: byHand,
  },
  open: [name],
})
