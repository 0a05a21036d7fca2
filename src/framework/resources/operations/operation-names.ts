// How the operations of a resource are named: `listOrders`, `createOrder`, and `listCustomerOrders` below a parent.

import { formatFunctionName } from '../../openapi/names.ts'
import type { ResourceLocation } from '../resource-location.ts'
import { formatSingularTitle, formatTitle } from '../title.ts'

/** The names of a resource at one of its paths, for people. */
export interface LocatedNames {
  /** One object: `Customer Order`. */
  readonly one: string
  /** The objects of a list: `Customer Orders`. */
  readonly many: string
}

export function findNames({ bound: { resource }, list }: ResourceLocation): LocatedNames {
  const parents = list.parents.map(({ resource: parent }) => formatSingularTitle(parent.name)).reverse()
  const own = formatTitle(resource.name)
  return {
    one: [...parents, resource.singleton === undefined ? resource.title : own].join(' '),
    many: [...parents, own].join(' '),
  }
}

/** The name and the summary of an operation: `listOrders`, and `List orders`. */
export const nameOperation = (verb: string, names: string): { readonly id: string; readonly summary: string } => ({
  id: formatFunctionName(verb, names),
  summary: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${names.toLowerCase()}`,
})
