// The names of the parameters of a list: those that filters cannot have, and in a strict API those that a query may have.

import { ValidationError } from '../../../errors/exceptions.ts'
import { createUnknownNameError } from '../../../errors/unknown-name.ts'
import { selectionParameters } from '../selection/name-tree.ts'
import type { ListFilters } from './list-filters.ts'

/**
 * The parameter with which a form without the script searches related objects: the page shows the form again, with the objects
 * that were found. The script names the field in a GET.
 */
export const searchParameter = '_search'
/** Begins the names of the fields with the texts to search. */
export const searchPrefix = '_search.'

/** The parameters that lists and their pages use themselves. */
const ownParameters: readonly string[] = ['search', 'ordering', 'new', 'delete', 'q', searchParameter]

/** Throws if a filter has the name of a parameter that lists, pages, the paginator or the renderers use. */
export function checkReserved(parameters: readonly string[], reserved: readonly string[]): void {
  const found = parameters.find(name => [...ownParameters, ...selectionParameters, ...reserved].includes(name))
  if (found !== undefined)
    throw new Error(
      `filters: lists use the parameter "${found}" themselves: filter by another name, such as filter(…) under "${found}_is"`,
    )
}

/** Throws if a paginator reads a parameter that lists, pages or the renderers read, or one parameter twice. */
export function checkPageParameters(parameters: readonly string[], reserved: readonly string[]): void {
  const others = [...ownParameters, ...selectionParameters]
  const isTaken = (name: string) => others.includes(name) || reserved.filter(each => each === name).length > 1
  const found = parameters.find(isTaken)
  if (found !== undefined)
    throw new Error(
      `pagination: the parameter "${found}" has another meaning too: give the paginator another name for it`,
    )
}

/** Creates the check of a strict list: throws ValidationError for a parameter that is none of these. */
export function createParameterCheck(
  { all, knows }: Pick<ListFilters, 'all' | 'knows'>,
  reserved: readonly string[],
): (query: URLSearchParams) => void {
  const suggested = [...all.map(({ parameter }) => parameter), 'search', 'ordering', ...reserved]
  const own = new Set([...ownParameters, ...reserved])
  return query => {
    for (const name of query.keys()) {
      if (own.has(name) || knows(name) || name.startsWith(searchPrefix)) continue
      throw new ValidationError({ [name]: [createUnknownNameError('unknown_parameter', name, suggested)] })
    }
  }
}
