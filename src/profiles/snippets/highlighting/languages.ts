import { bundledLanguagesInfo } from 'shiki/langs'
import { pygmentsLanguages } from './pygments-languages.ts'

/**
 * Every name that the `language` of a snippet may have → the id Shiki has for it (`RES-SNIP-r6`): Shiki's own
 * ids and aliases, then the names Pygments has for the same languages. Loads no grammar.
 */
export const languages: ReadonlyMap<string, string> = new Map([
  ...Object.entries(pygmentsLanguages).flatMap(([id, names]) => entriesOf(id, names.split(' '))),
  ...bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => entriesOf(id, [id, ...aliases])),
  ...entriesOf('text', ['text', 'plaintext', 'txt', 'plain']),
])

function entriesOf(id: string, names: readonly string[]): (readonly [name: string, id: string])[] {
  return names.map(name => [name, id] as const)
}
