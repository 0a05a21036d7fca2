// Names the constants of declared tables.

import { isIdentifier } from '../code/format-code.ts'

/** A constant for each table: `orderLines` for `order_lines`. */
export function nameConstants(tables: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const table of tables) {
    const words = table.split(/[^\p{ID_Continue}]+|_/u).filter(word => word !== '')
    const joined = words
      .map((word, index) => (index === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1))
      .join('')
    const wanted = isIdentifier(joined) ? joined : `table${joined}`
    let name = taken.has(wanted) ? `${wanted}Table` : wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
    taken.add(name)
    names.set(table, name)
  }
  return names
}

const reserved = (
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
  'function globalThis if implements import in instanceof interface let new null package private protected public return static super ' +
  'switch this throw true try typeof undefined var void while with yield boolean date dateTime decimal duration generated integer json ' +
  'key number reference schema sql table tables text textKey time uuid uuidKey'
).split(' ')
