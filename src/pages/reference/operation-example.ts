// The example of an operation: a request as code, and the response to it.

import { isObject, type JsonSchema, type SecurityScheme } from '#core'
import { createExample, resolveReference, type SchemaReader } from '#openapi'
import type { ReferenceOperation } from './reference.ts'
import type { ReferenceReader } from './reference-reader.ts'
import type { ReferenceRequest } from './request-code.ts'
import { findJson, findSuccess } from './resource-fields.ts'

/** The parts of a resource that the caller may read; a part is undefined if there is none. */
export interface Sample {
  /** The body of the list, with its first objects. */
  readonly list?: unknown
  /** The body of the first object. */
  readonly object?: unknown
  /** The value that names the object in URLs. */
  readonly key?: string
}

export interface ExampleParts {
  readonly reader: ReferenceReader
  /** The URL of the API, without a slash at its end. */
  readonly baseUrl: string
  readonly sample: Sample
  /** The schema of the object in the sample. */
  readonly objectSchema: JsonSchema | undefined
  /** The operation whose response is the object in the sample. */
  readonly objectOperation: ReferenceOperation | undefined
  /** The operation whose response is the list in the sample. */
  readonly listOperation: ReferenceOperation | undefined
}

/** Creates the request. */
export function createExampleRequest(one: ReferenceOperation, parts: ExampleParts): ReferenceRequest {
  const { method, path, operation } = one
  const { baseUrl, reader, sample } = parts
  const parameters = Object.fromEntries(
    (operation.parameters ?? [])
      .filter(parameter => parameter.in === 'path')
      .map(({ name, schema = {} }) => [
        name,
        findKey(one, name, sample) ?? String(createExample(schema, reader) ?? name),
      ]),
  )
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? name))
  return {
    ...{ method, path, parameters, operationId: operation.operationId, tag: operation.tags[0] ?? '' },
    url: baseUrl + filled + formatRequiredQuery(one, reader),
    ...createBody(one, parts),
    hasTag: (operation.parameters ?? []).some(({ name, required }) => name === 'If-Match' && required === true),
    ...findToken(one, reader),
  }
}

const findKey = ({ path }: ReferenceOperation, name: string, { key }: Sample): string | undefined =>
  path.split('/').filter(part => part.startsWith('{'))[0] === `{${name}}` ? key : undefined

function formatRequiredQuery({ operation }: ReferenceOperation, reader: SchemaReader): string {
  const required = (operation.parameters ?? []).filter(parameter => parameter.in === 'query' && parameter.required)
  const query = new URLSearchParams()
  for (const { name, schema = {} } of required) query.set(name, [createExample(schema, reader)].flat().join(','))
  return required.length === 0 ? '' : `?${query}`
}

function createBody({ method, operation }: ReferenceOperation, { reader, sample }: ExampleParts) {
  const { content } = operation.requestBody ?? {}
  const form = content?.['multipart/form-data']?.schema
  const json = findJson(content)
  const isForm = form !== undefined && (json === undefined || hasFile(form, reader))
  const schema = isForm ? form : json
  const media = Object.values(content ?? {}).find(({ example }) => example !== undefined)
  if (schema === undefined) return { body: undefined, isForm: false }
  const example = method === 'POST' ? withoutUnique(sample.object, schema, reader) : sample.object
  return { body: media?.example ?? createExample(schema, reader, example ?? undefined) ?? {}, isForm }
}

// A new object cannot have the unique values of the one that is shown.
function withoutUnique(object: unknown, schema: JsonSchema, { resolve }: SchemaReader): object | undefined {
  if (!isObject(object)) return undefined
  const properties = (resolve(schema).properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.fromEntries(Object.entries(object).filter(([name]) => properties[name]?.['x-unique'] !== true))
}

const hasFile = (schema: JsonSchema, reader: SchemaReader): boolean =>
  Object.values((reader.resolve(schema).properties ?? {}) as object).some(member => member?.format === 'binary')

// The first scheme whose credentials are a token in a header field, unless anonymous callers may pass. Where they may, most permissions
// let them read only.
function findToken({ method, operation }: ReferenceOperation, { document }: SchemaReader) {
  const { security = [] } = operation
  const schemes = security.flatMap(requirement => Object.keys(requirement).slice(0, 1))
  if (method === 'GET' && schemes.length < security.length) return { tokenKeyword: undefined, tokenHeader: undefined }
  const token = schemes
    .map(name => readTokenScheme(document.components.securitySchemes[name]))
    .find(each => each !== undefined)
  return token ?? { tokenKeyword: undefined, tokenHeader: undefined }
}

/** The header field with a token, and the keyword before it; undefined for a scheme of another kind. */
export function readTokenScheme(scheme: SecurityScheme | undefined) {
  if (scheme?.type === 'http') return { tokenKeyword: capitalize(scheme.scheme ?? 'Bearer'), tokenHeader: undefined }
  if (scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect')
    return { tokenKeyword: 'Bearer', tokenHeader: undefined }
  if (scheme?.type !== 'apiKey' || scheme.in !== 'header' || !/^[\w-]+$/.test(scheme.name ?? '')) return undefined
  const [, keyword = ''] = /`?(\w+) <token>/.exec(scheme.description ?? '') ?? []
  return { tokenKeyword: keyword, tokenHeader: scheme.name }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The response of an example. */
export interface ExampleResponse {
  readonly status: string
  readonly description: string
  readonly mediaType: string | undefined
  readonly body: unknown
  /** Whether the body is one that the service sent. */
  readonly isReal: boolean
  /** The operation that shows this body; undefined if it is none or another one. */
  readonly sameAs?: ReferenceOperation
}

/** Creates the response to the request. */
export function createExampleResponse(one: ReferenceOperation, parts: ExampleParts): ExampleResponse | undefined {
  const { reader } = parts
  const [status, found] = Object.entries(one.operation.responses).find(([name]) => /^2/.test(name)) ?? []
  if (status === undefined || found === undefined) return undefined
  const { description = '', content } = resolveReference(reader.document, found)
  const [mediaType] = Object.keys(content ?? {})
  const schema = findSuccess(one, reader)
  if (schema === undefined) return { status, description, mediaType, body: undefined, isReal: false }
  const real = findReal(one, schema, parts)
  const { objectOperation } = parts
  if (real !== undefined && objectOperation !== undefined && real === parts.sample.object && one !== objectOperation)
    return { status, description, mediaType, body: undefined, isReal: false, sameAs: objectOperation }
  const body = real ?? createExample(schema, reader)
  return { status, description, mediaType, body, isReal: real !== undefined }
}

const findReal = (
  one: ReferenceOperation,
  schema: JsonSchema,
  { sample, objectSchema, listOperation }: ExampleParts,
) =>
  one === listOperation
    ? sample.list
    : objectSchema?.$ref !== undefined && schema.$ref === objectSchema.$ref
      ? sample.object
      : undefined
