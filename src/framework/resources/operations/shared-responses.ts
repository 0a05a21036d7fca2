// Responses that several actions have in common.

import type { DescribedResponse } from '../../openapi/described-operation.ts'

/** The response to a client that has the representation. */
export const notModified: Readonly<Record<string, DescribedResponse>> = {
  304: { description: 'The representation has not changed.', headers: ['ETag'] },
}
