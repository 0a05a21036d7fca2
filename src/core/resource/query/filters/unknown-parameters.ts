// The names of the parameters of a list: those that filters cannot have, and in a strict API those that a query may have.

import { ValidationError } from '../../../errors/exceptions.ts'
import { createUnknownNameError } from '../../../errors/unknown-name.ts'
import type { ParameterNames } from '../../../http/urls/parameter-names.ts'
import type { Resource } from '../../declare/resource.ts'
import { listSelectionNames } from '../selection/resource-selection.ts'
import type { ListFilters } from './list-filters.ts'

/**
 * The parameter with which a form without the script searches related objects: the page shows the form again, with the objects
 * that were found. The script names the field in a GET.
 */
export const searchParameter = '_search'
/** Begins the names of the fields with the texts to search. */
export const searchPrefix = '_search.'

/** Begins the text to search in a request of the script. */
export const searchTextParameter = '_text'

/** The parameter with the columns of the table, which a page of a list shows instead of the usual ones. */
export const columnsParameter = '_columns'

/** The parameter with the id of the saved view that a page of a list shows. */
export const savedViewParameter = '_view'

/** The parameter with the objects that a page of a list compares, and the one that leaves out the fields in which they are the same. */
export const compareParameter = '_compare'
export const differencesParameter = '_differences'

/** The parameters of the pages of lists. */
export const pageParameters: readonly string[] = [
  ...['new', 'import', 'delete', searchParameter, searchTextParameter],
  columnsParameter,
  savedViewParameter,
  compareParameter,
  differencesParameter,
]

/** The parameters with which queries of a resource search, order and choose what is shown. */
export const listUsedParameters = (
  resource: Pick<
    Resource,
    'fields' | 'searchFields' | 'orderingFields' | 'sparseFields' | 'expandableFields' | 'fieldSets'
  >,
  names: Required<ParameterNames>,
): readonly string[] => [
  ...(resource.searchFields?.length ? [names.search] : []),
  ...(resource.orderingFields?.length ? [names.ordering] : []),
  ...listSelectionNames(resource, names),
]

/** Throws if a parameter has two meanings. `reserved`: those of the paginator, the renderers and the pages. */
export function checkMeanings(used: readonly string[], reserved: readonly string[]): void {
  const found = used.find((name, index) => used.indexOf(name) < index || reserved.includes(name))
  if (found !== undefined)
    throw new Error(`parameters: the parameter "${found}" has another meaning too: give one of them another name`)
}

/** Throws if a filter has the name of a parameter that lists, pages, the paginator or the renderers use. */
export function checkReserved(parameters: readonly string[], reserved: readonly string[]): void {
  const found = parameters.find(name => reserved.includes(name))
  if (found !== undefined)
    throw new Error(
      `filters: lists use the parameter "${found}" themselves: filter by another name, such as filter(…) under "${found}_is"`,
    )
}

/** Throws if a paginator reads a parameter that lists, pages or the renderers read, or one parameter twice. */
export function checkPageParameters(
  parameters: readonly string[],
  { used, reserved }: { readonly used: readonly string[]; readonly reserved: readonly string[] },
): void {
  const isTaken = (name: string) => used.includes(name) || reserved.filter(each => each === name).length > 1
  const found = parameters.find(isTaken)
  if (found !== undefined)
    throw new Error(
      `pagination: the parameter "${found}" has another meaning too: give the paginator another name for it`,
    )
}

/** Creates the check of a strict list: throws ValidationError for a parameter that is none of these. */
export function createParameterCheck(
  { all, knows }: Pick<ListFilters, 'all' | 'knows'>,
  known: readonly string[],
): (query: URLSearchParams) => void {
  const suggested = [...all.map(({ parameter }) => parameter), ...known.filter(name => !pageParameters.includes(name))]
  const own = new Set(known)
  return query => {
    for (const name of query.keys()) {
      if (own.has(name) || knows(name) || name.startsWith(searchPrefix)) continue
      throw new ValidationError({ [name]: [createUnknownNameError('unknown_parameter', name, suggested)] })
    }
  }
}
