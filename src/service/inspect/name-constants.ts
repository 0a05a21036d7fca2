// Names the constants of declared tables, and the resources of these tables.

import { isIdentifier } from '../code/format-code.ts'

/** A constant for each table: `orderLines` for `order_lines`. `rename`: the name that a table should have. */
export function nameConstants(
  tables: readonly string[],
  rename: (table: string) => string = table => table,
): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const table of tables) {
    const words = splitWords(rename(table))
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

/** A path for the resource of each constant: `order-lines` for `orderLines`. */
export function nameResources(constants: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    constants.map(constant => {
      const words = constant.replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '-').toLowerCase()
      const wanted = words.replaceAll(/[^a-z\d]+/g, '-').replaceAll(/^[-\d]+|-+$/g, '') || 'rows'
      let name = wanted
      for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`
      taken.add(name)
      return [constant, name]
    }),
  )
}

const splitWords = (name: string): readonly string[] => name.split(/[^\p{ID_Continue}]+|_/u).filter(word => word !== '')

/** The plural of the last word of a name, unless it is one. */
export function toPlural(name: string): string {
  const [, start = '', word = ''] = /^(.*?)([^_]*)$/s.exec(name) ?? []
  const irregular = plurals[word]
  if (irregular !== undefined) return start + irregular
  if (/(?:[^su]s|news|series)$/.test(word)) return name
  if (/[^aeiou]y$/.test(word)) return `${name.slice(0, -1)}ies`
  return /(?:s|x|ch|sh)$/.test(word) ? `${name}es` : `${name}s`
}

const plurals: Readonly<Record<string, string>> = { person: 'people', child: 'children', man: 'men', woman: 'women' }

const reserved = (
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
  'function globalThis if implements import in instanceof interface let new null package private protected public return static super ' +
  'switch this throw true try typeof undefined var void while with yield boolean choice date dateTime decimal duration generated integer ' +
  'integerKey json key number reference related resource resources schema sql table tables text textKey time uuid uuidKey'
).split(' ')
