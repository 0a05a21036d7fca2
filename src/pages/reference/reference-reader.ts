// The schemas of the document, and the words of the caller's language, for every part of the reference.

import type { OpenApiDocument } from '#core'
import { createSchemaReader, type SchemaReader } from '#openapi'
import type { Words } from '../html/words.ts'

/** A reader of a document's schemas that describes them in words. */
export interface ReferenceReader extends SchemaReader {
  readonly words: Words
}

export const createReferenceReader = (document: OpenApiDocument, words: Words): ReferenceReader => ({
  ...createSchemaReader(document),
  words,
})
