// The filters of a resource: `filters: { status: true, total: ['gte', 'in'], 'customer.country': ['in'], late: filter(…) }`.
// Each lookup becomes a parameter of lists, named as in django-filter: `customer__country__in`, or as the resource says:
// `status: { in: 'statuses' }`. A wrong declaration is an
// error at start that names the fix.

import type { Fields } from '../../../fields/field.ts'
import type {
  CustomFilter,
  FilterDeclaration,
  FilterDeclarations,
  FullTextFilter,
  Lookup,
  ParsedFilter,
} from '../../declare/filters.ts'
import { findQueriedValue } from '../queried-value.ts'
import { createCustomFilter } from './custom-filter.ts'
import type { Filter } from './filter.ts'
import { createFullTextFilter } from './full-text-filter.ts'
import { createLookupFilter } from './lookup-filter.ts'
import { checkLookup } from './lookups.ts'
import { createParsedFilter } from './parsed-filter.ts'

interface FilteredResource {
  readonly fields: Fields
  readonly filters?: FilterDeclarations
}

/**
 * Creates the filters of a resource. Those that lead through relations which are not resolved yet are left out. Throws for
 * the first mistake.
 */
export function createFilters({ fields, filters = {} }: FilteredResource): readonly Filter[] {
  // Node runs TypeScript without checking types.
  if (Array.isArray(filters)) throw new Error(`filters: write an object, such as { ${filters[0] ?? 'name'}: true }`)
  const created = Object.entries(filters).flatMap(([name, declaration]) => {
    try {
      return createFieldFilters(fields, name, declaration)
    } catch (error) {
      throw new Error(`filters: "${name}": ${(error as Error).message}`)
    }
  })
  const names = created.map(({ parameter }) => parameter)
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate !== undefined) throw new Error(`filters: two filters have the parameter "${duplicate}": remove one`)
  return created
}

function createFieldFilters(fields: Fields, name: string, declaration: FilterDeclaration): readonly Filter[] {
  if (isOwnFilter(declaration)) {
    checkParameter('the name', name)
    if ('parse' in declaration) return [createParsedFilter(name, declaration)]
    return [
      'fullText' in declaration
        ? createFullTextFilter(fields, name, declaration)
        : createCustomFilter(fields, name, declaration),
    ]
  }
  const lookups = listLookups(declaration)
  const compared = findQueriedValue(fields, name)
  if (compared === undefined) return []
  for (const [lookup] of lookups)
    checkLookup(lookup, {
      kind: compared.kind,
      child: compared.field.child,
      isKey: compared.field.relation !== undefined,
    })
  return lookups.map(([lookup, parameter]) => {
    const created = createLookupFilter(name, lookup, compared)
    return parameter === undefined ? created : { ...created, parameter }
  })
}

/** The lookups, each with the name that the resource gives to its parameter. */
function listLookups(
  declaration: Exclude<FilterDeclaration, OwnFilter>,
): readonly (readonly [lookup: Lookup, parameter?: string])[] {
  if (declaration === true) return [['exact']]
  if (Array.isArray(declaration)) return declaration.map(lookup => [lookup] as const)
  const named = Object.entries(Object(declaration))
  if (typeof declaration !== 'object' || named.length === 0)
    throw new Error(`write true, a list of lookups such as ["exact"], or filter(…), not ${JSON.stringify(declaration)}`)
  for (const [lookup, parameter] of named) checkParameter(`the name of "${lookup}"`, parameter)
  return named as [Lookup, string][]
}

function checkParameter(what: string, name: unknown): void {
  if (typeof name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(name))
    throw new Error(`${what} must be that of a parameter: letters, digits, _ and -`)
}

type OwnFilter = CustomFilter | FullTextFilter | ParsedFilter

const isOwnFilter = (declaration: FilterDeclaration): declaration is OwnFilter =>
  typeof declaration === 'object' &&
  declaration !== null &&
  ['fullText', 'compile', 'parse'].some(name => name in declaration)
