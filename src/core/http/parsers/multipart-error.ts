import { ParseError } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'

/** The body is not a form of the type `multipart/form-data`, or contains more than is accepted. */
export const createMultipartError = (reason: string): ParseError =>
  new ParseError(frameworkMessages('parse_error.multipart', { reason }))
