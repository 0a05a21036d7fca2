// The names in a query such as `?expand=customer,lines.product&fields=id,customer.name`.

/** Names by their first part, each with the names inside it. */
export interface NameTree extends ReadonlyMap<string, NameTree> {}

export const noNames: NameTree = new Map()

/** The parameters that select fields and relations of a response. */
export const selectionParameters = ['fields', 'omit', 'expand'] as const

export type SelectionParameter = (typeof selectionParameters)[number]

/** Arranges paths such as `lines.product` by their parts. */
export function createNameTree(paths: Iterable<string>): NameTree {
  const tree = new Map<string, NameTree>()
  for (const path of paths) {
    let level = tree
    for (const part of path.split('.')) {
      const inner = (level.get(part) ?? new Map()) as Map<string, NameTree>
      level.set(part, inner)
      level = inner
    }
  }
  return tree
}

/** The names of a parameter, sorted, each once. Names are separated by commas, or the parameter is repeated. */
export function readNames(query: URLSearchParams, parameter: string): readonly string[] {
  const names = query.getAll(parameter).flatMap(text => text.split(',').map(name => name.trim()))
  return [...new Set(names.filter(name => name !== ''))].sort()
}

/** The names without those inside of another one: with `customer`, `customer.name` says nothing new. */
export function removeInner(names: readonly string[]): readonly string[] {
  const all = new Set(names)
  const isInside = (name: string) => [...name.matchAll(/\./g)].some(({ index }) => all.has(name.slice(0, index)))
  return names.filter(name => !isInside(name))
}
