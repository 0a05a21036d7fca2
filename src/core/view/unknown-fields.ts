// Whether bodies may contain fields that do not exist.

import type { UnknownFields } from './view.ts'

/** Throws for another value. `where` begins the message. */
export function checkUnknownFields(where: string, option: UnknownFields | undefined): void {
  if (option !== undefined && option !== 'ignore' && option !== 'refuse')
    throw new Error(`${where} must be 'ignore' or 'refuse'`)
}
