// Completes what a view says about a method to an operation: the parameters of its path, the media types of its parsers and
// renderers, the errors and the authentication of its policies, and what the application adds.

import {
  type ComponentRegistry,
  type Content,
  type DescribedBody,
  type DescribedOperation,
  type DescribedResponse,
  documentMessages,
  draftText,
  type JsonSchema,
  listErrorResponses,
  listParameterNames,
  mergeOperation,
  type OpenApiRequestBody,
  type Operation,
  type OperationNames,
  type OperationOptions,
  type Parameter,
  type Response,
  type ResponseHeader,
  referToHeaders,
  type Throttle,
  type View,
} from '#core'
import { isJson } from './is-json.ts'
import { listRequirements, type SecuritySchemes } from './security.ts'

/** The parts of the document to which operations add. */
export interface DocumentParts {
  readonly components: ComponentRegistry
  readonly security: SecuritySchemes
  readonly names: OperationNames
}

interface OperationParts extends DocumentParts {
  readonly tag: string
  /** The additions of the application. */
  readonly options: OperationOptions
}

/** Creates an operation. `view`: with the policies of the method. */
export function createOperation(
  view: View,
  method: string,
  described: DescribedOperation,
  { components, security, names, tag, options }: OperationParts,
): Operation {
  const { summary, description = view.description } = described
  const { path, parameters: own = [] } = described
  const parameters = [...listPathParameters(view.path, path), ...own, ...listVersionParameters(view)]
  const body = described.body && createBody(view, described.body)
  const rates = listRates(view.throttles)
  const operation: Operation = {
    operationId: options.operationId ?? names.claim(described.id),
    summary: draftText(summary),
    description: draftText(description === '' ? documentMessages('document.sentence', { text: summary }) : description),
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      ...createResponses(view, described.responses, components),
      ...listErrorResponses(view, method, described, components),
    },
    security: listRequirements(view, method, security),
    ...(rates.length > 0 && { 'x-rate-limits': rates }),
    ...(typeof view.versioning === 'object' && view.versioning.in === 'accept' && { 'x-versioning': view.versioning }),
  }
  return mergeOperation(operation, options)
}

const listPathParameters = (path: string, schemas: DescribedOperation['path'] = {}): readonly Parameter[] =>
  listParameterNames(path).map(name => ({
    name,
    in: 'path',
    required: true,
    schema: Object.hasOwn(schemas, name) ? schemas[name]! : { type: 'string', minLength: 1 },
  }))

// OpenAPI ignores a header parameter that is called Accept.
function listVersionParameters({ versioning }: View): readonly Parameter[] {
  if (typeof versioning !== 'object' || versioning.in === 'accept') return []
  const { in: place, name, versions, default: standard } = versioning
  return [{ name, in: place, required: false, schema: { type: 'string', enum: versions, default: standard } }]
}

const listRates = (throttles: readonly Throttle[]): readonly object[] => throttles.flatMap(({ quotas = [] }) => quotas)

function createBody(
  { parsers }: View,
  { required, schema, form, hasFiles = false }: DescribedBody,
): OpenApiRequestBody {
  const content = parsers.flatMap(({ mediaType }): readonly (readonly [string, JsonSchema])[] => {
    const formSchema = hasFiles && mediaType === urlencoded ? undefined : form
    if (mediaType === urlencoded || mediaType === multipart) return formSchema ? [[mediaType, formSchema]] : []
    return [[mediaType, isJson(mediaType) ? schema : {}]]
  })
  return { required, content: toContent(content) }
}

const urlencoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

const toContent = (entries: readonly (readonly [mediaType: string, schema: JsonSchema])[]): Content =>
  Object.fromEntries(entries.map(([mediaType, schema]) => [mediaType, { schema }]))

function createResponses(
  view: View,
  responses: DescribedOperation['responses'],
  components: ComponentRegistry,
): Record<string, Response> {
  const rateHeaders: readonly ResponseHeader[] = view.throttles.length > 0 ? ['RateLimit', 'RateLimit-Policy'] : []
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { description, headers = [] } = response
      const ownHeaders = status.startsWith('2') ? describeOwnHeaders(view) : undefined
      const allHeaders = [...headers, ...rateHeaders]
      const content = createContent(view, response)
      return [
        status,
        {
          description: draftText(description),
          ...((allHeaders.length > 0 || ownHeaders !== undefined) && {
            headers: { ...ownHeaders, ...referToHeaders(allHeaders, components) },
          }),
          ...(content && { content }),
        },
      ]
    }),
  )
}

const describeOwnHeaders = ({ responseHeaders }: View): Response['headers'] =>
  responseHeaders &&
  Object.fromEntries(
    Object.entries(responseHeaders).map(([name, { kind, help }]) => [
      name,
      { ...(help !== undefined && { description: draftText(help) }), schema: kind.schema },
    ]),
  )

// The browsable pages are for people, so they are listed only if a view has no other format.
function createContent({ renderers }: View, { schema, isFile, mediaType }: DescribedResponse): Content | undefined {
  if (mediaType !== undefined) return { [mediaType]: { schema: { type: 'string' } } }
  if (isFile) return { '*/*': { schema: {} } }
  if (schema === undefined) return undefined
  const mediaTypes = renderers.map(({ mediaType }) => mediaType)
  const forPrograms = mediaTypes.filter(mediaType => mediaType !== 'text/html')
  return toContent(
    (forPrograms.length > 0 ? forPrograms : mediaTypes).map(mediaType => [
      mediaType,
      isJson(mediaType) ? schema : mediaType.startsWith('text/') ? { type: 'string' } : {},
    ]),
  )
}
