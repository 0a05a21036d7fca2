// The filters of a resource's lists, bound to its API: they read the query and create its condition.

import { sql } from 'kysely'
import type { MaybePromise } from '../../../base/maybe-promise.ts'
import { type Arguments, type Database, noValues, parameter, type SqlValue } from '../../../database/database.ts'
import type { Dialect, Sql } from '../../../database/dialect.ts'
import type { ErrorDetail, ErrorTree } from '../../../errors/exceptions.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import { invalid } from '../../../errors/invalid.ts'
import type { Field, FieldLocation, ParseContext } from '../../../fields/field.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { RowFilter } from '../../../policy/permissions/row-filter.ts'
import type { FilterLimits } from '../../declare/filter-limits.ts'
import type { Resource } from '../../declare/resource.ts'
import type { MountedApi } from '../../names/mounted-api.ts'
import { createRelatedRows, type RelatedRows } from '../../sql/related-rows.ts'
import { createFieldLocation } from '../../sql/select.ts'
import {
  createDependentValue,
  type DependentValue,
  dependsOnRequest,
  isVolatileValue,
  readDependence,
} from '../request-dependence.ts'
import { createFilters } from './declared-filters.ts'
import type { Filter, ReadFilter } from './filter.ts'
import { findGiven, type GivenFilter, ungroupName } from './given-filters.ts'

/** The filters of a query. */
export interface QueryFilters {
  /** Queries with the same shape differ only in their values. */
  readonly shape: readonly string[]
  /** The condition that rows meet; undefined without filters. */
  readonly condition: RowFilter | undefined
}

export interface ListFilters {
  readonly all: readonly Filter[]
  /** Whether a query may have the parameter. */
  knows(parameter: string): boolean
  /** Reads the filters of a query; rejects with ValidationError, keyed by parameter. */
  read(query: URLSearchParams, context: ParseContext): Promise<QueryFilters>
  /** Reads the values of the request that the conditions of the query's filters use: those of row filters, and the caller. */
  readRequestValues(search: string, context: RequestContext): MaybePromise<Arguments>
  /** The filters of a caller who sees only these fields. */
  narrow(isShown: (field: Field) => boolean): ListFilters
  /** Compiles the conditions of all filters. */
  compileAll(): readonly FilterSql[]
}

/** The condition of a filter in SQL. */
export interface FilterSql {
  readonly filter: Filter
  /** True: the condition is declared to change while the data does not. */
  readonly volatile: boolean
  readonly condition: Sql
}

interface ListFilterOptions {
  readonly database: Database
  readonly api: MountedApi
  readonly clock: () => Date
}

/** The most filters in one query, unless the resource says otherwise. */
export const defaultMaxFilters = 20
/** The most values of one `in`, unless the resource says otherwise. */
export const defaultMaxValues = 100

/** Binds the filters of a resource. Throws for wrong declarations. */
export function bindFilters(resource: Resource, { database, api, clock }: ListFilterOptions): ListFilters {
  const all = createFilters(resource)
  const limits = { filters: defaultMaxFilters, values: defaultMaxValues, groups: 0, ...resource.filterLimits }
  const related = createRelatedRows(api, 'filtered')
  return createListFilters(all, {
    dialect: database.dialect,
    limits,
    related,
    location: { ...createFieldLocation(database, resource, related), name: '' },
    dependents: new Map(
      all
        .filter(dependsOnRequest)
        .map(filter => [
          filter,
          createDependentValue(filter, `resource "${resource.name}": filter "${filter.parameter}"`, clock),
        ]),
    ),
  })
}

interface FilterParts {
  readonly dialect: Dialect
  readonly limits: Required<FilterLimits>
  readonly related: RelatedRows
  readonly location: FieldLocation
  /** The filters that depend on the request. */
  readonly dependents: ReadonlyMap<Filter, DependentValue>
}

function createListFilters(all: readonly Filter[], parts: FilterParts): ListFilters {
  const { dialect, limits, related, location, dependents } = parts
  const names = new Set(all.map(({ parameter }) => parameter))
  const dependent = all.filter(filter => dependents.has(filter))
  const parsed = all.filter(({ isParsed }) => isParsed)
  return {
    all,
    knows: parameter => names.has(parameter) || (limits.groups > 0 && names.has(ungroupName(parameter) ?? '')),
    narrow: isShown =>
      createListFilters(
        all.filter(({ path }) => path.every(isShown)),
        parts,
      ),
    async read(query, context) {
      const given = findGiven(all, query, limits.groups)
      const checkCount = (count: number) => {
        if (count > limits.filters) throw invalid('max_filters', { max: limits.filters })
      }
      checkCount(given.length)
      const limited = { maxValues: limits.values, filters: all, maxFilters: limits.filters }
      const used = await readUsed(given, { context, dialect, ...limited })
      checkCount(used.flatMap(listUsed).length)
      return {
        shape: used.map(filter => `${nameParameter(filter)}=${filter.variant}`),
        condition: used.length === 0 ? undefined : createCondition(used, parts),
      }
    },
    readRequestValues(search, context) {
      if (dependent.length === 0 || search === '') return noValues
      const query = new URLSearchParams(search)
      const find = (among: readonly Filter[]) => findGiven(among, query, limits.groups).map(({ filter }) => filter)
      // A condition in the query may name any filter.
      const given = new Set(parsed.length > 0 && find(parsed).length > 0 ? dependent : find(dependent))
      if (given.size === 0) return noValues
      return readDependence(
        [...given].map(filter => dependents.get(filter)!),
        related,
        context,
      )
    },
    compileAll: () =>
      all.flatMap(filter =>
        Object.values(filter.conditions).map(compile => {
          // Compiling registers the row filters on which the condition depends.
          const condition = compile(location, name => parameter(`${filter.parameter} ${name}`))
          return { filter, volatile: isVolatileValue([filter], related), condition }
        }),
      ),
  }
}

function createCondition(used: readonly UsedFilter[], parts: FilterParts): RowFilter {
  const filters = used.flatMap(listUsed)
  return {
    ...(isVolatileValue(filters, parts.related) && { volatile: true }),
    where: ({ value }) =>
      sql.join(
        [...Map.groupBy(used, ({ group, name }) => group ?? name).values()].map(group =>
          joinGroup(
            group.map(given => {
              const compile = given.compile ?? given.filter.conditions[given.variant]!
              return compile(parts.location, name => value(`${nameParameter(given)} ${name}`))
            }),
          ),
        ),
        sql` and `,
      ),
    values: () => Object.assign({}, ...used.map(prefixValues)),
  }
}

interface UsedFilter extends GivenFilter, ReadFilter {}

/** The filters whose conditions apply. */
const listUsed = ({ filter, filters = [filter] }: UsedFilter): readonly Filter[] => filters

const joinGroup = ([first, ...others]: readonly Sql[]): Sql =>
  others.length === 0 ? first! : sql`(${sql.join([first, ...others], sql` or `)})`

/** The name of the filter in the shape of the query, and of its parameters in SQL. Callers name groups as they like. */
const nameParameter = ({ filter: { parameter: name }, group }: GivenFilter): string =>
  group === undefined ? name : `or ${group} ${name}`

async function readUsed(
  given: readonly GivenFilter[],
  options: Parameters<Filter['read']>[1],
): Promise<readonly UsedFilter[]> {
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const used: UsedFilter[] = []
  for (const each of given) {
    try {
      used.push({ ...each, ...(await each.filter.read(each.texts, options)) })
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      errors[each.name] = error.errors
    }
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  return used
}

const prefixValues = (used: UsedFilter): Record<string, SqlValue> =>
  Object.fromEntries(Object.entries(used.values).map(([name, value]) => [`${nameParameter(used)} ${name}`, value]))
