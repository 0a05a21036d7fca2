import { pygmentsLanguages } from './pygments-languages.ts'
import { bundledLanguagesInfo } from './shiki.ts'

/**
 * Maps every valid `language` of a snippet to a Shiki language id (`RES-SNIP-r6`). The names are Shiki's ids and
 * aliases, and Pygments' names for the same languages. Loads no grammar.
 */
export const languages: ReadonlyMap<string, string> = new Map([
  ...Object.entries(pygmentsLanguages).flatMap(([id, names]) => toEntries(id, names.split(' '))),
  ...bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => toEntries(id, [id, ...aliases])),
  ...toEntries('text', ['text', 'plaintext', 'txt', 'plain']),
])

function toEntries(id: string, names: readonly string[]): (readonly [name: string, id: string])[] {
  return names.map(name => [name, id] as const)
}
