// The preference `return=minimal` (RFC 7240 §4.2): a write responds without a body.

import { createTag, formatTag } from './conditional/entity-tag.ts'
import type { HandlerContext } from './context.ts'
import type { ApiResponse } from './response.ts'
import type { View } from './view.ts'

/** Leaves out the body if the caller prefers so. A 200 becomes a 204, and the `ETag` of the body is kept. */
export function applyPreference({ request, view }: HandlerContext, response: ApiResponse): ApiResponse {
  const { prefer } = request.headers
  if (prefer === undefined || !minimal.test([prefer].flat().join(', '))) return response
  const { status, body, validators } = response
  return {
    status: status === 200 ? 204 : status,
    headers: {
      ...response.headers,
      ...(validators && { etag: formatTag(createTag(body, (view as View).digest)) }),
      'preference-applied': 'return=minimal',
    },
  }
}

const minimal = /(?:^|,)\s*return\s*=\s*(?:minimal|"minimal")\s*(?:[,;]|$)/i
