// The header fields of requests that the framework evaluates.

import type { JsonSchema } from '../../../describe/json-schema.ts'
import type { Parameter } from '../../../describe/openapi-types.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import { draftText } from '../../../view/describe/translate-texts.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'

const createHeader = (name: string, description: MessageText, options: Partial<Parameter> = {}): Parameter => ({
  name,
  in: 'header',
  description: draftText(description),
  schema: text,
  ...options,
})

const text: JsonSchema = { type: 'string' }

/** The conditions of a GET. */
export const readConditions: readonly Parameter[] = [
  createHeader('If-None-Match', documentMessages('document.if_none_match')),
]

/** The condition of a GET of an object whose time of modification is known. */
export const modifiedSince: Parameter = createHeader(
  'If-Modified-Since',
  documentMessages('document.if_modified_since'),
)

/** The condition of a write of an object. */
export const listWriteConditions = ({ resource }: BoundResource): readonly Parameter[] => [
  createHeader('If-Match', documentMessages('document.if_match'), {
    ...(resource.requireIfMatch && { required: true }),
  }),
]

export const preferParameter: Parameter = createHeader('Prefer', documentMessages('document.prefer'), {
  example: 'return=minimal',
})

export const rangeParameter: Parameter = createHeader('Range', documentMessages('document.range'))

/** The key of a create; none if it is not supported. */
export const listIdempotencyKey = ({ idempotency, resource }: BoundResource): readonly Parameter[] =>
  idempotency === undefined || resource.noStore
    ? []
    : [
        createHeader('Idempotency-Key', documentMessages('document.idempotency_key'), {
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        }),
      ]
