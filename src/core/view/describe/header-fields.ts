// The header fields of responses, each described once as a component.

import type { Header } from '../../describe/openapi-types.ts'
import { documentMessages } from '../../messages/document-messages.ts'
import type { MessageText } from '../../messages/english.ts'
import type { ResponseHeader } from './described-operation.ts'
import { draftText } from './translate-texts.ts'

const text = (description: MessageText): Header => ({ description: draftText(description), schema: { type: 'string' } })

export const responseHeaders: Readonly<Record<ResponseHeader, Header>> = {
  ETag: text(documentMessages('document.etag')),
  'Last-Modified': text(documentMessages('document.last_modified')),
  Location: {
    ...text(documentMessages('document.location')),
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Preference-Applied': text(documentMessages('document.preference')),
  'Content-Disposition': text(documentMessages('document.disposition')),
  'Content-Range': text(documentMessages('document.content_range')),
  'Retry-After': {
    ...text(documentMessages('document.retry_after')),
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text(documentMessages('document.authenticate')),
  RateLimit: text(documentMessages('document.rate')),
  'RateLimit-Policy': text(documentMessages('document.rate_policy')),
}
