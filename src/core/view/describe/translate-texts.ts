// The texts of a document are messages until it is finished, so that it can be made in each language.

import { isDetail, mapEntries } from '../../errors/error-tree.ts'
import type { ErrorDetail } from '../../messages/catalogue.ts'
import type { MessageText } from '../../messages/english.ts'

/** A text of a part of a document, which is a message until the document is finished. */
export const draftText = (text: MessageText): string => text as string

/** Replaces the messages in a document or a schema by their texts. */
export function translateTexts<Part>(part: Part, translate: (message: ErrorDetail) => string): Part {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    return isMessage(value) ? translate(value) : mapEntries(value as Record<string, unknown>, convert)
  }
  return convert(part) as Part
}

const isMessage = (value: object): value is ErrorDetail => 'key' in value && isDetail(value as ErrorDetail)
