// Checks options that views and resources share: what happens to bodies, and which header fields responses have.

import type { DeclaredFields } from '../fields/declared-fields.ts'
import type { RawBodyOption, UnknownFields } from './view.ts'

/** Throws for another value. `where` begins the message. */
export function checkUnknownFields(where: string, option: UnknownFields | undefined): void {
  if (option !== undefined && option !== 'ignore' && option !== 'refuse')
    throw new Error(`${where} must be 'ignore' or 'refuse'`)
}

/** Throws for another value. `where` begins the message. */
export function checkRawBody(where: string, option: RawBodyOption | undefined): void {
  if (option === undefined || typeof option === 'boolean') return
  if (option === null || !Number.isSafeInteger(option.limit) || option.limit < 1)
    throw new Error(`${where} must be true, or { limit } with the most bytes of a body`)
}

/** Throws for the first name that no header field has. `where` begins the message. */
export function checkResponseHeaders(where: string, declared: DeclaredFields | undefined): void {
  const wrong = Object.keys(declared ?? {}).find(name => !/^[a-z0-9][a-z0-9_-]*$/.test(name))
  if (wrong !== undefined) throw new Error(`${where}: "${wrong}" must be the name of a header field in lower case`)
}
