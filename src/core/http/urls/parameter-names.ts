// The names of the query parameters with which callers search and order lists, and choose what responses show.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'

/** The names of the query parameters of lists and objects, where they are not the default. */
export interface ParameterNames {
  /** Default `search`. */
  readonly search?: string
  /** Default `ordering`. */
  readonly ordering?: string
  /** Default `fields`. */
  readonly fields?: string
  /** Default `omit`. */
  readonly omit?: string
  /** Default `expand`. */
  readonly expand?: string
}

export const defaultParameterNames: Required<ParameterNames> = Object.freeze({
  search: 'search',
  ordering: 'ordering',
  fields: 'fields',
  omit: 'omit',
  expand: 'expand',
})

const optionNames: OptionNames<ParameterNames> = {
  search: true,
  ordering: true,
  fields: true,
  omit: true,
  expand: true,
}

/** The options that name the other parameters of lists. */
const others: Readonly<Record<string, string>> = {
  page: 'pageQueryParam of pageNumber()',
  pageSize: 'pageSizeQueryParam of pageNumber()',
  limit: 'limitQueryParam of limitOffset()',
  offset: 'offsetQueryParam of limitOffset()',
  cursor: 'cursorQueryParam of cursor()',
  format: 'formatParam of createApi()',
}

/** Throws for the first mistake. Node runs TypeScript without checking types. */
export function checkParameterNames(where: string, names: ParameterNames = {}): void {
  for (const [option, name] of Object.entries(names)) {
    if (Object.hasOwn(others, option))
      throw new Error(`${where}: the option ${others[option]} names the parameter "${option}": set it there`)
    if (typeof name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(name))
      throw new Error(
        `${where}: the name of "${option}" must be that of a parameter: letters, digits, _ and -, not ${JSON.stringify(name)}`,
      )
  }
  checkOptionNames(where, names, optionNames)
}
