// Problem details (RFC 9457): the same errors, for clients that accept `application/problem+json`.

import { STATUS_CODES } from '../../base/http.ts'
import { type APIException, ValidationError } from '../../errors/exceptions.ts'
import type { ErrorDetail } from '../../messages/catalogue.ts'
import { frameworkMessages } from '../../messages/english.ts'

/** The header field of a problem details response. */
export const problemHeaders = Object.freeze({ 'content-type': 'application/problem+json' })

/** Creates the body with the members of RFC 9457 and `code`; for invalid data, `errors` contains the plain `body`. */
export function problemBody(
  error: APIException,
  status: number,
  body: object,
  translate: (detail: ErrorDetail) => string,
): object {
  const isInvalid = typeof error.detail !== 'string'
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: isInvalid ? translate(frameworkMessages('invalid')) : error.detail,
    code: isInvalid ? ValidationError.code : error.codes,
    ...error.members,
    ...(isInvalid && { errors: body }),
  }
}
