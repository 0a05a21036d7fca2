// The header fields of responses, each described once as a component.

import type { ResponseHeader } from './described-operation.ts'
import type { Header } from './openapi-types.ts'

const text = (description: string): Header => ({ description, schema: { type: 'string' } })

export const responseHeaders: Readonly<Record<ResponseHeader, Header>> = {
  ETag: text('The tag of the representation, for `If-None-Match` and `If-Match` (RFC 9110, section 8.8.3).'),
  'Last-Modified': text('When the object changed last, as an HTTP date.'),
  Location: { description: 'The URL of the object.', schema: { type: 'string', format: 'uri-reference' } },
  'Preference-Applied': text('The preference of the request that was honored, such as `return=minimal` (RFC 7240).'),
  'Content-Disposition': text('The name of the file (RFC 6266).'),
  'Content-Range': text('The part of the file that the body contains (RFC 9110, section 14.4).'),
  'Retry-After': {
    description: 'The number of seconds after which a request may succeed.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text('How to authenticate (RFC 9110, section 11.6.1).'),
  RateLimit: text('The requests that are left, by rate (draft-ietf-httpapi-ratelimit-headers).'),
  'RateLimit-Policy': text('The rates that apply to the caller (draft-ietf-httpapi-ratelimit-headers).'),
}
