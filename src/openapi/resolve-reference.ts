import type { OpenApiDocument } from '#core'
import { parsePointer } from './json-pointer.ts'

/** The part of the document that `$ref` names; the part itself if it is not a reference, and `{}` if it leads nowhere. */
export function resolveReference<Part extends object>(document: OpenApiDocument, part: Part): Exclude<Part, Reference> {
  let found: unknown = part
  for (let step = 0; step < maxSteps && isReference(found); step++) found = findPart(document, found.$ref)
  const isPart = typeof found === 'object' && found !== null && !isReference(found)
  return (isPart ? found : {}) as Exclude<Part, Reference>
}

// References that refer to each other lead nowhere.
const maxSteps = 10

interface Reference {
  readonly $ref: string
}

const isReference = (part: unknown): part is Reference =>
  typeof part === 'object' && part !== null && '$ref' in part && typeof part.$ref === 'string'

const findPart = (document: OpenApiDocument, $ref: string): unknown =>
  $ref.startsWith('#/')
    ? parsePointer($ref.slice(1)).reduce<unknown>(
        (part, name) => (Object.hasOwn(Object(part), name) ? Object(part)[name] : undefined),
        document,
      )
    : undefined
