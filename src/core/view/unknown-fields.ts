// Whether bodies may contain fields that do not exist.

import type { ParseContext } from '../fields/field.ts'
import type { HandlerContext } from '../http/context.ts'
import type { UnknownFields, View } from './view.ts'

/** Throws for another value. `where` begins the message. */
export function checkUnknownFields(where: string, option: UnknownFields | undefined): void {
  if (option !== undefined && option !== 'ignore' && option !== 'refuse')
    throw new Error(`${where} must be 'ignore' or 'refuse'`)
}

/** The context in which the body of this request is read. */
export const createBodyContext = (context: ParseContext, { view }: Pick<HandlerContext, 'view'>): ParseContext =>
  (view as View).unknownFields === 'refuse' ? { ...context, refusesUnknown: true } : context
