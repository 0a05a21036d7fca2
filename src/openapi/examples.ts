// Examples in a document: an object of each resource that the application gives, or one that is made up from the schema. Values that a
// schema does not accept are replaced, so every example is valid.

import {
  adviseName,
  type Content,
  type ExampleObjects,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type PathItem,
  type Response,
  type View,
} from '#core'
import { createExample } from './example-value.ts'
import { isJson } from './is-json.ts'
import { createSchemaReader, type SchemaReader } from './schema-reader.ts'

/** A component that describes objects of a resource, or a page of them. */
export interface ResourceComponent {
  readonly name: string
  /** The example that the application gives. */
  readonly object: object | undefined
  readonly isPage: boolean
}

/** Throws if examples are given for a resource that the API does not have. */
export function checkExampleNames(examples: ExampleObjects, views: readonly Pick<View, 'resource'>[]): void {
  const names = new Set(views.flatMap(({ resource }) => resource?.name ?? []))
  for (const name of Object.keys(examples))
    if (!names.has(name)) throw new Error(`openapi: examples: there is no resource "${name}"${adviseName(name, names)}`)
}

/** Adds examples to the components of resources, and to the bodies that the document describes in place. */
export function addExamples(document: OpenApiDocument, resources: readonly ResourceComponent[]): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { ...document.components.schemas }
  const withExamples: OpenApiDocument = { ...document, components: { ...document.components, schemas } }
  const reader = createSchemaReader(withExamples)
  // The example of a page contains that of an object.
  for (const { name, object, isPage } of resources.toSorted((a, b) => Number(a.isPage) - Number(b.isPage))) {
    const schema = schemas[name]
    if (schema === undefined || 'examples' in schema) continue
    const known = isPage ? firstPage : fillIn(schema, object, reader)
    const example = createExample(schema, reader, known)
    if (example !== undefined) schemas[name] = { ...schema, examples: [example] }
  }
  const paths = Object.entries(document.paths).map(([path, item]) => [path, addToPath(item, reader)] as const)
  return { ...withExamples, paths: Object.fromEntries(paths) }
}

const firstPage = { count: 1, next: null, previous: null }

// An example shows also the members that the application leaves out.
const fillIn = (schema: JsonSchema, object: object | undefined, reader: SchemaReader): object | undefined =>
  object && { ...(createExample(schema, reader) as object | undefined), ...object }

const addToPath = (item: PathItem, reader: SchemaReader): PathItem =>
  Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, addToOperation(operation, reader)]))

function addToOperation(operation: Operation, reader: SchemaReader): Operation {
  const { requestBody, responses } = operation
  return {
    ...operation,
    ...(requestBody && { requestBody: { ...requestBody, content: addToContent(requestBody.content, reader) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        status.startsWith('2') && 'content' in response && response.content !== undefined
          ? ({ ...response, content: addToContent(response.content, reader) } satisfies Response)
          : response,
      ]),
    ),
  }
}

const addToContent = (content: Content, reader: SchemaReader): Content =>
  Object.fromEntries(
    Object.entries(content).map(([mediaType, media]) => {
      const { schema = {} } = media
      const isDescribed =
        '$ref' in schema || Object.keys(schema).length === 0 || 'example' in media || 'examples' in media
      const example = isDescribed || !isJson(mediaType) ? undefined : createExample(schema, reader)
      return [mediaType, example === undefined ? media : { ...media, example }]
    }),
  )
