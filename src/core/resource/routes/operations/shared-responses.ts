// Responses that several actions have in common.

import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import type { DescribedResponse } from '../../../view/describe/described-operation.ts'
import { sharedDescriptions } from '../../../view/describe/error-responses.ts'

/** The response to a client that has the representation. */
export const notModified: Readonly<Record<string, DescribedResponse>> = {
  304: { description: documentMessages('document.not_modified'), headers: ['ETag'] },
}

/** The error of a GET whose `If-Match` or `If-Unmodified-Since` does not hold. */
export const readPreconditionErrors: Readonly<Record<number, MessageText>> = { 412: sharedDescriptions[412] }
