// The header fields of requests that the framework evaluates.

import type { JsonSchema } from '../../openapi/json-schema.ts'
import type { Parameter } from '../../openapi/openapi-types.ts'
import type { BoundResource } from '../bound-resource.ts'

const createHeader = (name: string, description: string, options: Partial<Parameter> = {}): Parameter => ({
  name,
  in: 'header',
  description,
  schema: text,
  ...options,
})

const text: JsonSchema = { type: 'string' }

/** The conditions of a GET. */
export const readConditions: readonly Parameter[] = [
  createHeader('If-None-Match', 'The `ETag` of a stored response: if it is current, the response is 304.'),
]

/** The condition of a GET of an object whose time of modification is known. */
export const modifiedSince: Parameter = createHeader(
  'If-Modified-Since',
  'The `Last-Modified` of a stored response: if the object has not changed since, the response is 304.',
)

/** The condition of a write of an object. */
export const listWriteConditions = ({ resource }: BoundResource): readonly Parameter[] => [
  createHeader(
    'If-Match',
    'The `ETag` of the object as it was read: if the object has changed since, the response is 412.',
    {
      ...(resource.requireIfMatch && { required: true }),
    },
  ),
]

export const preferParameter: Parameter = createHeader('Prefer', '`return=minimal`: the response has no body.', {
  example: 'return=minimal',
})

export const rangeParameter: Parameter = createHeader('Range', 'The part of the file to send: `bytes=0-1023`.')

/** The key of a create; none if it is not supported. */
export const listIdempotencyKey = ({ idempotency, resource }: BoundResource): readonly Parameter[] =>
  idempotency === undefined || resource.noStore
    ? []
    : [
        createHeader(
          'Idempotency-Key',
          "A value of the client's choice, such as a UUID: a repeated request with it takes effect once, and gets the first response.",
          { schema: { type: 'string', minLength: 1, maxLength: 255 } },
        ),
      ]
