// Wraps representations, as text that is not parsed, and takes the object out of request bodies.

import { isObject } from '../../base/is-object.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { formatTypeName, invalid } from '../../errors/invalid.ts'
import { createErrors } from '../../fields/unknown-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type Envelope, findExpandedMember, findPageNames } from '../../http/envelope/envelope.ts'
import { emptyBody, type RequestBody } from '../../http/parsers/request-body.ts'
import { JsonPage, type ResponseBody } from '../../http/response.ts'
import type { View } from '../view.ts'

/** Wraps the JSON of an object. */
export const wrapObject = (json: string, envelope: Envelope | undefined): string =>
  envelope?.one === undefined ? json : `{${JSON.stringify(envelope.one)}:${json}}`

/** Wraps the JSON of an object, with the JSON of the objects that it refers to; undefined if it has none. */
export function wrapWithExpanded(json: string, expanded: string | undefined, envelope: Envelope | undefined): string {
  const wrapped = wrapObject(json, envelope)
  if (expanded === undefined) return wrapped
  const separator = wrapped === '{}' ? '' : ','
  return `${wrapped.slice(0, -1)}${separator}${JSON.stringify(findExpandedMember(envelope)!.name)}:${expanded}}`
}

/** Renames the members of a page; any other body stays as it is. */
export function wrapPage(body: ResponseBody, envelope: Envelope | undefined): ResponseBody {
  if (envelope?.many === undefined || !(body instanceof JsonPage)) return body
  const names = findPageNames(envelope)
  if (body.members === undefined && names.results === undefined) return body
  const members = (body.members ?? []).flatMap(([member, json]) => {
    const name = names[member as keyof typeof names]
    return name === null ? [] : [[name ?? member, json] as const]
  })
  return new JsonPage(body.items, members, names.results)
}

/** Adds the objects of expanded relations to a page. An array becomes an object. */
export function addExpanded(body: ResponseBody, json: string, envelope: Envelope): ResponseBody {
  if (!(body instanceof JsonPage))
    throw new Error(
      'envelope.expanded: the paginator creates pages without items: remove it, or create them with createPage()',
    )
  const names = findPageNames(envelope)
  return new JsonPage(body.items, [...(body.members ?? []), [findExpandedMember(envelope)!.name, json]], names.results)
}

/** Takes the object out of the body of a create or update; throws ValidationError, keyed by the name, for a body without it. */
export function unwrapBody(
  { requestBody: body, view }: Pick<HandlerContext, 'requestBody' | 'view'>,
  envelope: Envelope | undefined,
): RequestBody {
  const one = envelope?.one
  if (one === undefined || body.kind === 'form' || body.kind === 'parts') return body
  const data: unknown = body.kind === 'data' ? body.data : {}
  // The fields refuse a body that is not an object.
  if (!isObject(data)) return body
  if (!Object.hasOwn(data, one)) throw new ValidationError({ [one]: invalid('required').errors })
  const others = Object.keys(data).filter(name => name !== one)
  if (others.length > 0 && (view as View).unknownFields === 'refuse')
    throw new ValidationError(createErrors(others, [one])!)
  const object = data[one]
  if (!isObject(object))
    throw new ValidationError({ [one]: invalid('invalid.object', { type: formatTypeName(object) }).errors })
  return Object.keys(object).length === 0 ? emptyBody : { kind: 'data', data: object }
}
