// How a value in the SQL of a list depends on the request: on the row filters of related resources, on the caller and on the
// time. Only the queries that use the value read what it depends on.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments } from '../../database/database.ts'
import { type RequestUses, usesRequest } from '../../fields/field.ts'
import { createRequestValues, type ReadRequestValues } from '../../fields/request-values.ts'
import type { RequestContext } from '../../http/context.ts'
import type { QueriedValue } from './queried-value.ts'

/** The dependence of a value's SQL on anything but the data. */
export interface RequestDependence {
  /** True: the value can change while the data does not. */
  readonly volatile: boolean
  readonly requestUses: RequestUses
  /** True: row filters of other resources apply. */
  readonly usesRelations: boolean
}

const noUses: RequestUses = { caller: [], now: false }

/** The dependence of a value that follows from the data alone. */
export const noDependence: RequestDependence = { volatile: false, requestUses: noUses, usesRelations: false }

/** The dependence of the value of a field, or of a field of related rows. */
export const findDependence = ({ field, joins }: Pick<QueriedValue, 'field' | 'joins'>): RequestDependence => ({
  volatile: field.volatile === true,
  requestUses: field.requestUses ?? noUses,
  usesRelations: joins.length > 0 || field.relation !== undefined || field.compileValue !== undefined,
})

/** Whether the value depends on anything but the data. */
export const dependsOnRequest = (value: RequestDependence): boolean =>
  value.volatile || value.usesRelations || usesRequest(value.requestUses)

/** The row filters of related resources. */
interface RelatedValues {
  readValues(context: RequestContext): MaybePromise<Arguments>
  isVolatile(): boolean
}

/** A value, and the reader of the properties of the caller and the time that its own SQL uses. */
export interface DependentValue extends RequestDependence {
  readonly readOwn: ReadRequestValues
}

/** Creates the reader of a value. `owner` begins the message of an error. */
export const createDependentValue = (value: RequestDependence, owner: string, clock: () => Date): DependentValue => ({
  ...value,
  readOwn: createRequestValues([{ owner, ...value.requestUses }], clock),
})

/** Reads what the values depend on. Throws if SQL cannot take a property of the caller. */
export function readDependence(
  values: readonly DependentValue[],
  related: RelatedValues,
  context: RequestContext,
): MaybePromise<Arguments> {
  const own: Arguments = Object.assign({}, ...values.map(({ readOwn }) => readOwn(context)))
  if (!values.some(({ usesRelations }) => usesRelations)) return own
  const reading = related.readValues(context)
  return isPromise(reading) ? reading.then(found => ({ ...found, ...own })) : { ...reading, ...own }
}

/** Whether one of the values can change while the data does not. */
export const isVolatileValue = (values: readonly RequestDependence[], related: RelatedValues): boolean =>
  values.some(({ volatile, usesRelations }) => volatile || (usesRelations && related.isVolatile()))
