// Responses that several actions have in common.

import type { DescribedResponse } from '../../openapi/described-operation.ts'
import { sharedDescriptions } from '../../openapi/error-responses.ts'

/** The response to a client that has the representation. */
export const notModified: Readonly<Record<string, DescribedResponse>> = {
  304: { description: 'The representation has not changed.', headers: ['ETag'] },
}

/** The error of a GET whose `If-Match` or `If-Unmodified-Since` does not hold. */
export const readPreconditionErrors: Readonly<Record<number, string>> = { 412: sharedDescriptions[412] }
