// The filters of a query, alone or in groups: `customer=3&or.status=late&or.total__gte=1000`. Rows meet every filter that
// stands alone, and at least one filter of each group. Names of further groups follow `or`: `or.a.status=late`.

import { invalid } from '../../../errors/invalid.ts'
import type { Filter } from './filter.ts'

/** A filter as a query contains it. */
export interface GivenFilter {
  readonly filter: Filter
  /** The name of the parameter in the query. */
  readonly name: string
  /** The number of its group in the query; undefined for a filter that stands alone. */
  readonly group: number | undefined
  /** The values, at least one. Empty values are left out, because a form sends an empty string for an unused filter. */
  readonly texts: readonly string[]
}

const groupedName = /^or(?:\.[\w-]+)?\.(?=[^.]+$)/

/** The name of the filter to which a parameter of a group belongs; undefined for other parameters. */
export function ungroupName(name: string): string | undefined {
  const [prefix] = groupedName.exec(name) ?? []
  return prefix && name.slice(prefix.length)
}

/** Finds the filters of a query. Throws ValidationError for too many groups; 0: parameters of groups are ignored. */
export function findGiven(all: readonly Filter[], query: URLSearchParams, maxGroups: number): readonly GivenFilter[] {
  const prefixes = maxGroups === 0 ? [] : findPrefixes(all, query)
  if (prefixes.length > maxGroups) throw invalid('max_groups', { max: maxGroups })
  return ['', ...prefixes].flatMap((prefix, index) =>
    all.flatMap(filter => {
      const name = prefix + filter.parameter
      const texts = query.getAll(name).filter(value => value !== '')
      return texts.length === 0 ? [] : [{ filter, name, group: index === 0 ? undefined : index, texts }]
    }),
  )
}

function findPrefixes(all: readonly Filter[], query: URLSearchParams): readonly string[] {
  const parameters = new Set(all.map(({ parameter }) => parameter))
  const prefixes = [...query].flatMap(([name, value]) => {
    const filter = ungroupName(name)
    return filter !== undefined && value !== '' && parameters.has(filter) ? [name.slice(0, -filter.length)] : []
  })
  return [...new Set(prefixes)]
}
