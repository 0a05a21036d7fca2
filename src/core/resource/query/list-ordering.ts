// `?ordering=-total,customer__name`: callers order a list by the fields that its resource names. In a list that is not strict,
// other names are ignored, as in Django REST framework; in a strict list, they are rejected with ValidationError.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import { type Arguments, type Database, noValues } from '../../database/database.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { createUnknownNameError } from '../../errors/unknown-name.ts'
import type { Field, Fields } from '../../fields/field.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { Resource } from '../declare/resource.ts'
import type { RelatedRows } from '../sql/related-rows.ts'
import { createFieldLocation } from '../sql/select.ts'
import { createOrdering, type DeclaredOrdering, findOrderedValues } from './declared-ordering.ts'
import { type DeclaredValue, describeValues } from './queried-paths.ts'
import {
  createDependentValue,
  dependsOnRequest,
  findDependence,
  type RequestDependence,
  readDependence,
} from './request-dependence.ts'

/** The ordering of a resource's lists, bound to its API. */
export interface ListOrdering {
  /** The fields by which callers may order, by their paths on the wire. */
  readonly fields: Fields
  /** The fields that it reveals. */
  readonly path: readonly Field[]
  /** The row filters of related resources in the SQL of a query's ordering. */
  readonly related: RelatedRows
  /** Reads the names of a query's ordering, as the resource declares them, with `-` for descending; undefined without one. */
  read(query: URLSearchParams): readonly string[] | undefined
  /** Reads the values of the request that the SQL of the ordering of a query, given without its `?`, uses. */
  readRequestValues(text: string, context: RequestContext): MaybePromise<Arguments>
  /** The ordering of a caller who sees only these fields. */
  narrow(isShown: (field: Field) => boolean): ListOrdering
  /** Registers the row filters that the declared orderings use in `related`, and those of the query's orderings. */
  register(related: RelatedRows): void
}

interface OrderingOptions {
  readonly database: Database
  /** The row filters of related resources in the SQL of a query's ordering. */
  readonly related: RelatedRows
  readonly clock: () => Date
  readonly paginator: Paginator | null
  /** The name of the parameter. */
  readonly parameter: string
  /** True: unknown names are rejected. */
  readonly strict: boolean
}

/** Binds the ordering of a resource. Throws for wrong declarations. */
export function bindOrdering(resource: Resource, options: OrderingOptions): ListOrdering {
  const { fields, orderingFields = [], orderingTies = [], ordering } = resource
  const declared = [
    ...createOrdering(resource, ordering),
    ...createOrdering(resource, orderingTies),
    ...createOrdering(resource, options.paginator?.ordering ?? [], 'public'),
  ]
  return createListOrdering(findOrderedValues(fields, 'orderingFields', orderingFields), {
    ...options,
    resource,
    declared,
  })
}

interface OrderingParts extends OrderingOptions {
  readonly resource: Resource
  /** The orderings of the resource and of its paginator. */
  readonly declared: readonly DeclaredOrdering[]
}

function createListOrdering(values: readonly DeclaredValue[], parts: OrderingParts): ListOrdering {
  const { resource, database, related, clock, parameter, declared } = parts
  const names = new Map(values.map(({ wirePath, declaredPath }) => [wirePath, declaredPath]))
  const createDependent = (value: RequestDependence) =>
    createDependentValue(value, `resource "${resource.name}": ordering`, clock)
  const dependents = new Map(values.map(value => [value.declaredPath, createDependent(findDependence(value))]))
  const isDependent = [...dependents.values()].some(dependsOnRequest)
  // The row filters of declared orderings are those of the list itself.
  const declaredDependents = declared
    .map(part => createDependent({ ...part, usesRelations: false }))
    .filter(dependsOnRequest)
  const read = (query: URLSearchParams) => parseOrdering(query.getAll(parameter), names, parts)
  return {
    fields: describeValues(values),
    path: values.flatMap(({ path }) => path),
    related,
    read,
    readRequestValues(text, context) {
      const own = declaredDependents.length === 0 ? noValues : readDependence(declaredDependents, related, context)
      const used = isDependent && text !== '' ? (read(new URLSearchParams(text)) ?? []) : []
      if (used.length === 0) return own
      const found = used.flatMap(name => dependents.get(name.replace(/^-/, '')) ?? [])
      const reading = readDependence(found, related, context)
      return isPromise(reading) ? reading.then(queried => ({ ...own, ...queried })) : { ...own, ...reading }
    },
    narrow: isShown =>
      createListOrdering(
        values.filter(({ path }) => path.every(isShown)),
        parts,
      ),
    register(own) {
      const register = (ordering: readonly DeclaredOrdering[], references: RelatedRows) => {
        const location = { ...createFieldLocation(database, resource, references), name: '' }
        for (const { compile } of ordering) compile(location)
      }
      register(declared, own)
      register(createOrdering(resource, [...names.values(), ...(resource.orderingTies ?? [])]), related)
    },
  }
}

// The first of two orderings by the same field counts. A "+" before a name is ascending; in a query that is not encoded, it is a space.
function parseOrdering(
  texts: readonly string[],
  names: ReadonlyMap<string, string>,
  { parameter, strict }: Pick<OrderingOptions, 'parameter' | 'strict'>,
): readonly string[] | undefined {
  const found = new Map<string, string>()
  for (const part of texts.flatMap(text => text.split(','))) {
    const [, sign, wirePath] = /^([-+]?)(.*)$/s.exec(part.trim())! as unknown as [string, string, string]
    const name = names.get(wirePath)
    if (name !== undefined && !found.has(name)) found.set(name, sign === '-' ? `-${name}` : name)
    if (name === undefined && wirePath !== '' && strict)
      throw new ValidationError({ [parameter]: [createUnknownNameError('invalid.ordering', wirePath, names.keys())] })
  }
  return found.size === 0 ? undefined : [...found.values()]
}
