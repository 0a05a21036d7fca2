// The answers that flags give: `--rename articles.body=articles.text`, `--drop articles.body`, `--fill articles.state=draft`.

import { type Answers, type ColumnType, type DefaultValue, replaySteps, type SchemaState } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import type { DeclaredOwner } from './owners.ts'

export interface AnswerFlags {
  readonly rename?: readonly string[]
  readonly drop?: readonly string[]
  readonly fill?: readonly string[]
}

/** Returns for each owner the answers about its tables. Throws CommandError for an answer about none. */
export function readAnswers(owners: readonly DeclaredOwner[], flags: AnswerFlags): ReadonlyMap<DeclaredOwner, Answers> {
  const states = owners.map(owner => ({ owner, from: replaySteps(owner.steps), to: owner.state }))
  const { rename = [], drop = [], fill = [] } = flags
  for (const [flag, values] of Object.entries({ rename, drop, fill }))
    for (const value of values)
      if (!states.some(({ from, to }) => concerns(value, from, to)))
        throw new CommandError(`--${flag} ${value}: there is no table of this name`)
  return new Map(
    states.map(({ owner, from, to }) => {
      const own = (values: readonly string[]) => values.filter(value => concerns(value, from, to))
      return [
        owner,
        {
          renames: new Map(own(rename).map(splitRename)),
          drops: new Set(own(drop)),
          fills: new Map(own(fill).map(value => parseFill(value, to ?? from))),
          defaults: owner.defaults,
        },
      ]
    }),
  )
}

// A name ends before the first equals sign, unless a table has one.
function concerns(value: string, from: SchemaState, to: SchemaState | undefined): boolean {
  const tables = [...Object.keys(from.tables), ...Object.keys(to?.tables ?? {})]
  return tables.some(table => value === table || value.startsWith(`${table}.`) || value.startsWith(`${table}=`))
}

function splitRename(value: string): readonly [string, string] {
  const [name, newName, ...rest] = value.split('=')
  if (name && newName && rest.length === 0) return [name, newName]
  throw new CommandError(
    `--rename ${value}: write the former name, "=" and the new one, as in articles.body=articles.text`,
  )
}

function parseFill(value: string, to: SchemaState): readonly [string, DefaultValue | null] {
  const end = value.indexOf('=')
  if (end === -1) return [value, null]
  const name = value.slice(0, end)
  return [name, parseValue(value.slice(end + 1), findType(to, name), `--fill ${name}`)]
}

/** The type of the column `table.column`; `text` if there is none. */
export function findType({ tables }: SchemaState, name: string): ColumnType {
  const end = name.lastIndexOf('.')
  return tables[name.slice(0, Math.max(end, 0))]?.columns[name.slice(end + 1)]?.type ?? 'text'
}

/** The value of a column that a text means. Throws CommandError, which names the place, if it is not one of its type. */
export function parseValue(text: string, type: ColumnType, place: string): DefaultValue {
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new CommandError(`${place}: must be true or false, not "${text}"`)
  }
  if ((type === 'dateTime' || type === 'date' || type === 'time') && text === 'now') return { now: true }
  const isNumber = typeof type === 'string' && /^(?:key|integer|number|duration|decimal)/.test(type)
  if (!isNumber) return text
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new CommandError(`${place}: must be a number, not "${text}"`)
  // More digits than a number of JavaScript has are written as they are.
  return String(Number(text)) === text ? Number(text) : { sql: text }
}
