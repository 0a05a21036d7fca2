// Names for people, from the names in paths.

/** `order-items` is shown as "Order Item": one object of a resource of that name. */
export function singularTitle(name: string): string {
  const words = name.split(/[-_]/)
  return title([...words.slice(0, -1), singular(words.at(-1)!)])
}

/** `mark-as-read` is shown as "Mark As Read". */
export const plainTitle = (name: string): string => title(name.split(/[-_]/))

const title = (words: readonly string[]): string =>
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

/** The usual endings of English plurals, the first that fits; `title` of a resource says the others. */
const endings: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/(?<=[^aeiou])ies$/, 'y'],
  [/(?<=ss|sh|ch|x|[^aeo]us)es$/, ''],
  [/(?<=[^sui])s$/, ''],
]

function singular(word: string): string {
  if (Object.hasOwn(irregular, word)) return irregular[word]!
  const ending = endings.find(([plural]) => plural.test(word))
  return ending === undefined ? word : word.replace(...ending)
}
