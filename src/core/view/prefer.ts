// The preference `return=minimal` (RFC 7240 §4.2): a write responds without a body.

import { createTag, formatTag } from '../http/conditional/preconditions.ts'
import type { HandlerContext } from '../http/context.ts'
import { splitList } from '../http/negotiation/media-type.ts'
import type { ApiResponse } from '../http/response.ts'

/** Leaves out the body if the caller prefers so. A 200 becomes a 204, and the `ETag` of the body is kept. */
export function applyPreference({ request }: HandlerContext, response: ApiResponse): ApiResponse {
  const { prefer } = request.headers
  if (prefer === undefined || !isMinimal([prefer].flat().join(', '))) return response
  const { status, body, validators } = response
  return {
    status: status === 200 ? 204 : status,
    headers: {
      ...response.headers,
      ...(validators && { etag: formatTag(createTag(body)) }),
      'preference-applied': 'return=minimal',
    },
  }
}

// If a preference is repeated, the first one counts (RFC 7240 §2).
function isMinimal(prefer: string): boolean {
  const preferred = splitList(prefer).find(preference => /^return[\t ]*(?:[=;]|$)/i.test(preference))
  return preferred !== undefined && minimal.test(preferred)
}

const minimal = /^return[\t ]*=[\t ]*(?:minimal|"minimal")[\t ]*(?:;|$)/i
