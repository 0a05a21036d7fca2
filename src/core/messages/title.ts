// Display names, derived from the names in paths.

import type { MessageText } from './english.ts'

/** The names of a resource on pages. */
export interface ResourceTitles {
  /** The name of one object: `Order item`. */
  readonly one: MessageText
  /** The name of the list: `Order items`. */
  readonly many: MessageText
}

/** The names of a resource. */
export interface NamedResource {
  /** The name in relations and ids: `order-items`. */
  readonly name: string
  /** The path of its list, below its API or an object: `order_items`, or empty for that of the object; default: the name. */
  readonly path?: string
  /** The name of one object in the names of views. */
  readonly title?: string
  readonly pages?: { readonly names?: ResourceTitles } | undefined
}

/** The path of the list of a resource, below its API or an object; empty if it is that of the object. */
export const formatResourcePath = ({ name, path = name }: NamedResource): string => path

/** The same with slashes around it: `/order_items/`, or `/`. */
export const formatListPath = (resource: NamedResource): string =>
  `/${formatResourcePath(resource)}/`.replace('//', '/')

/** The name of the list of a resource on pages. */
export const nameList = ({ name, pages }: NamedResource): MessageText => pages?.names?.many ?? formatListTitle(name)

/** The name of one object of a resource on pages. */
export const nameOne = ({ name, title, pages }: NamedResource): MessageText =>
  pages?.names?.one ?? title ?? formatSingularTitle(name)

/** `order-items` becomes "Order Item", the title of one object. */
export function formatSingularTitle(name: string): string {
  const words = name.split(/[-_]/)
  return joinWords([...words.slice(0, -1), toSingular(words.at(-1)!)])
}

/** `mark-as-read` becomes "Mark As Read". */
export const formatTitle = (name: string): string => joinWords(name.split(/[-_]/))

/** `order-items` becomes "Order items", the title of a list on a page. */
export function formatListTitle(name: string): string {
  const words = name.replaceAll(/[-_]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const joinWords = (words: readonly string[]): string =>
  words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')

const irregular: Readonly<Record<string, string>> = {
  children: 'child',
  cookies: 'cookie',
  men: 'man',
  movies: 'movie',
  news: 'news',
  people: 'person',
  series: 'series',
  species: 'species',
  women: 'woman',
}

/** Regular English plural endings; the first match applies. The option `title` of a resource covers other plurals. */
const endings: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/(?<=[^aeiou])ies$/, 'y'],
  [/(?<=ss|sh|ch|x|[^aeo]us)es$/, ''],
  [/(?<=[^sui])s$/, ''],
]

function toSingular(word: string): string {
  if (Object.hasOwn(irregular, word)) return irregular[word]!
  const ending = endings.find(([plural]) => plural.test(word))
  return ending === undefined ? word : word.replace(...ending)
}
