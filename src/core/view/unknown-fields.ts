// The options that say what happens to bodies: whether they may contain fields that do not exist, and whether their bytes are kept.

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
