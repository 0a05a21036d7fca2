// The schemas of the document, and the words of the caller's language, for every part of the reference.

import type { JsonSchema, OpenApiDocument } from '#core'
import { createSchemaReader, type SchemaReader } from '#openapi'
import type { Words } from '../html/words.ts'
import type { ReferenceOperation } from './reference.ts'

/** A reader of a document's schemas that describes them in words. */
export interface ReferenceReader extends SchemaReader {
  readonly words: Words
  /** The parts that this table links to. It is undefined in the tables that describe these parts. */
  readonly shared?: SharedParts
  /** Finds an earlier operation on the page that has a part with the same HTML. */
  readonly findSame?: (partHtml: string) => ReferenceOperation | undefined
}

/** A row of a table of members. */
export interface MemberRow {
  readonly name: string
  readonly schema: JsonSchema
  /** The schema in bodies, if it is another one. */
  readonly written?: JsonSchema | undefined
  /** Short facts in words, such as `required`. */
  readonly flags: readonly string[]
  /** The id of the row, for links; undefined for none. */
  readonly anchor?: string
}

/** The parts that a page says once. */
export interface SharedParts {
  /** The fields, by name. */
  readonly fields: ReadonlyMap<string, SharedField>
  /** The fields with these choices. */
  readonly choices: ReadonlyMap<string, string>
  /** The names of the fields that an object shows. */
  readonly shownNames: readonly string[]
  /** Parameters and header fields that several operations have, by what they say. */
  readonly rows: ReadonlyMap<string, MemberRow>
  /** The usual description of each error, by its status. */
  readonly errors: ReadonlyMap<string, string>
}

/** A field that the page describes. */
export interface SharedField {
  readonly anchor: string
  /** Its description in responses, and its description in bodies. */
  readonly meanings: readonly string[]
  readonly limits: string
}

export const createReferenceReader = (document: OpenApiDocument, words: Words): ReferenceReader => ({
  ...createSchemaReader(document),
  words,
})
