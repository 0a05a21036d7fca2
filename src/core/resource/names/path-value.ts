import { NotFound, type ResourceNames } from '../../errors/exceptions.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'
import { parseParts } from '../../keys/parse-segment.ts'

interface PathValue {
  readonly identifier: Identifier
  /** The parameter of the path if it is one; default `key`. */
  readonly parameter?: string
  /** The names of a parent resource. */
  readonly names?: ResourceNames | undefined
}

/** The value in the request's path that identifies an object; throws NotFound if no object can have it. */
export function readPathValue(
  { identifier, parameter = 'key', names }: PathValue,
  { request }: Pick<RequestContext, 'request'>,
): KeyValue {
  const { parts } = identifier
  const texts = request.params as Readonly<Record<string, string>>
  const value =
    parts === undefined
      ? identifier.parse(texts[parameter]!)
      : parseParts(
          parts,
          parts.map(({ name }) => texts[parameter.replace(/key$/, name)]),
        )
  if (value === undefined) throw new NotFound(undefined, undefined, names)
  return value
}
