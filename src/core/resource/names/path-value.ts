import { NotFound, type ResourceNames } from '../../errors/exceptions.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'

interface PathValue {
  readonly identifier: Identifier
  /** The parameter of the path; default `key`. */
  readonly parameter?: string
  /** The names of a parent resource. */
  readonly names?: ResourceNames | undefined
}

/** The value in the request's path that identifies an object; throws NotFound if no object can have it. */
export function readPathValue(
  { identifier, parameter = 'key', names }: PathValue,
  { request }: Pick<RequestContext, 'request'>,
): KeyValue {
  const value = identifier.parse((request.params as Readonly<Record<string, string>>)[parameter]!)
  if (value === undefined) throw new NotFound(undefined, undefined, names)
  return value
}
