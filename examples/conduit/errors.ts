// Errors in the form that RealWorld describes: {"errors": {"title": ["can't be blank"]}}.

import {
  APIException,
  type ExceptionContext,
  type ExceptionHandler,
  exceptionHandler,
  ValidationError,
} from 'resource-api'

/** The error of a value that another object has. */
export const taken = 'has already been taken'

/** Texts that replace those of the framework, by code. */
export const messages = {
  required: "can't be blank",
  null: "can't be blank",
  blank: "can't be blank",
  reserved: taken,
}

export const handleException: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  if (error instanceof ValidationError)
    return { ...response, status: isConflict(error.codes) ? 409 : 422, body: { errors: response.body } }
  return { ...response, body: { errors: describe(error, context) } }
}

const isConflict = (codes: unknown): boolean =>
  Object.values(codes as object)
    .flat()
    .every(code => code === 'unique')

const describe = (error: APIException, { resource }: ExceptionContext): Record<string, readonly unknown[]> => {
  const subject = resource?.title.toLowerCase() ?? 'body'
  switch (error.codes) {
    case 'not_authenticated':
      return { token: ['is missing'] }
    case 'authentication_failed':
      return { token: ['is invalid'] }
    case 'credentials':
      return { credentials: ['invalid'] }
    case 'permission_denied':
      return { [subject]: ['forbidden'] }
    case 'not_found':
      return { [subject]: ['not found'] }
    default:
      return { body: [error.detail] }
  }
}
