// Puts the texts of an error into the caller's language, and the language into the header fields of the response.

import type { FastifyRequest } from 'fastify'
import { isDetail, mapErrors } from '../../errors/error-tree.ts'
import { APIException } from '../../errors/exceptions.ts'
import type { ErrorDetail } from '../../messages/catalogue.ts'
import type { ApiResponse, HeaderFields } from '../response.ts'
import { defaultLanguage } from './accept-language.ts'
import type { FindTranslation } from './languages.ts'

/** The language of one response. */
export interface Localization {
  /** The text of an error in the caller's language. */
  readonly translate: (detail: ErrorDetail) => string
  /** Adds `Content-Language` and `Vary` if texts of the response depend on `Accept-Language`. */
  readonly addHeaders: (response: ApiResponse, headers: { readonly vary: string }) => ApiResponse
}

const readMessage = (detail: ErrorDetail): string => detail.message

const unlocalized: Localization = Object.freeze({
  translate: readMessage,
  addHeaders: (response: ApiResponse) => response,
})

/** Creates the localization of a response. Without a translation, every text is the one in the code. */
export function createLocalization(find: FindTranslation | undefined, request: FastifyRequest): Localization {
  if (find === undefined) return unlocalized
  const translation = find(request.headers['accept-language'])
  let [dependsOnLanguage, isTranslated] = [false, false]
  return {
    translate(detail) {
      if (detail.key !== undefined || detail.issue !== undefined) dependsOnLanguage = true
      const text = translation.find(detail)
      if (text !== undefined) isTranslated = true
      return text ?? detail.message
    },
    addHeaders(response, { vary }) {
      if (!dependsOnLanguage || translation.language === undefined) return response
      const headers: HeaderFields = {
        'content-language': isTranslated ? translation.language : defaultLanguage,
        ...response.headers,
        vary: `${response.headers?.vary ?? vary}, Accept-Language`,
      }
      return { ...response, headers }
    },
  }
}

/** Returns the exception with its texts in the caller's language; returns any other error unchanged. */
export function localizeError<E>(error: E, { translate }: Pick<Localization, 'translate'>): E {
  if (!(error instanceof APIException) || translate === readMessage) return error
  let changed = false
  const errors = mapErrors(error.errors, detail => {
    const message = translate(detail)
    if (message === detail.message) return detail
    changed = true
    return { ...detail, message }
  })
  // The exception itself may be shared by requests, so it becomes the prototype of the localized one.
  if (!changed) return error
  const message = isDetail(errors) ? errors.message : error.message
  return Object.create(error, { errors: { value: errors }, message: { value: message } })
}
