// The header fields of responses, each described once as a component.

import type { MessageText } from '../../messages/english.ts'
import { pageMessages } from '../../../pages/messages/page-messages.ts'
import type { ResponseHeader } from './described-operation.ts'
import type { Header } from '../../describe/openapi-types.ts'
import { draftText } from './translate-texts.ts'

const text = (description: MessageText): Header => ({ description: draftText(description), schema: { type: 'string' } })

export const responseHeaders: Readonly<Record<ResponseHeader, Header>> = {
  ETag: text(pageMessages('document.etag')),
  'Last-Modified': text(pageMessages('document.last_modified')),
  Location: {
    ...text(pageMessages('document.location')),
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Preference-Applied': text(pageMessages('document.preference')),
  'Content-Disposition': text(pageMessages('document.disposition')),
  'Content-Range': text(pageMessages('document.content_range')),
  'Retry-After': {
    ...text(pageMessages('document.retry_after')),
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text(pageMessages('document.authenticate')),
  RateLimit: text(pageMessages('document.rate')),
  'RateLimit-Policy': text(pageMessages('document.rate_policy')),
}
