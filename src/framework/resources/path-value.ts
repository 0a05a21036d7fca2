import type { RequestContext } from '../context.ts'
import { NotFound } from '../errors/exceptions.ts'
import type { Identifier, KeyValue } from '../keys/key.ts'

/**
 * The value in the request's path that identifies an object; throws NotFound if no object can have it. `parameter`: of the path.
 */
export function readPathValue(
  { identifier, parameter = 'key' }: { readonly identifier: Identifier; readonly parameter?: string },
  { request }: Pick<RequestContext, 'request'>,
): KeyValue {
  const value = identifier.parse((request.params as Readonly<Record<string, string>>)[parameter]!)
  if (value === undefined) throw new NotFound()
  return value
}
