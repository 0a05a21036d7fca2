// The errors that a request can get, phase by phase: authentication, permissions, throttles, negotiation, parsers and the handler
// (docs/errors.md). An application with its own exception handler may change their bodies and statuses, so then the document
// says only that there are errors.

import type { JsonSchema } from '../../describe/json-schema.ts'
import type { Content, Reference, Response } from '../../describe/openapi-types.ts'
import { mapEntries } from '../../errors/error-tree.ts'
import { cachingExceptionHandler, exceptionHandler, serverError } from '../../http/errors/exception-handler.ts'
import { documentMessages } from '../../messages/document-messages.ts'
import type { MessageText } from '../../messages/english.ts'
import { isSafe } from '../../policy/permissions/permission.ts'
import type { View } from '../view.ts'
import type { ComponentRegistry } from './components.ts'
import type { DescribedErrors, DescribedOperation, ResponseHeader } from './described-operation.ts'
import { responseHeaders } from './header-fields.ts'
import { draftText } from './translate-texts.ts'

type Responses = Readonly<Record<string, Response | Reference>>

/** Lists the error responses of a method. `view`: with the policies of the method. */
export function listErrorResponses(
  view: View,
  method: string,
  operation: DescribedOperation,
  components: ComponentRegistry,
): Responses {
  const { errors = {} } = operation
  const isCustom = hasOwnErrors(view)
  const statuses: Readonly<Record<string, MessageText>> = {
    ...mapEntries({ ...errors.bodies }, () => documentMessages('document.other_error')),
    ...listStatuses(view, method, operation),
    ...errors.statuses,
  }
  const found: Record<string, Response | Reference> = {}
  for (const [status, description] of Object.entries(statuses))
    found[status] =
      isCustom || (status === '500' && view.serverError !== serverError)
        ? { description: draftText(description) }
        : describeError(status, description, errors, components)
  const responses: Responses = {
    ...found,
    ...((isCustom || errors.mayRaiseOthers) && {
      default: isCustom
        ? { description: draftText(documentMessages('document.any_error')) }
        : referToDefault(components),
    }),
  }
  return addRenderers(responses, view, components)
}

function describeError(
  status: string,
  description: MessageText,
  errors: DescribedErrors,
  components: ComponentRegistry,
): Response | Reference {
  const body = errors.bodies?.[status]
  if (body !== undefined) return describeOwnBody(status, { description, body, errors }, components)
  if (status === '400') return describeInvalid(errors, components)
  const name = sharedNames[status]
  const hasItems = errors.areOfItems === true && itemStatuses.includes(status)
  const schema = hasItems ? { anyOf: [itemErrors, referToError(components)] } : undefined
  const create = () => createErrorResponse(description, headersByStatus[status], components, schema)
  return name !== undefined && description === descriptions[status] && !hasItems
    ? components.referToResponse(name, create)
    : create()
}

type OwnBody = NonNullable<DescribedErrors['bodies']>[string]

// The framework sends the same status with the usual body.
function describeOwnBody(
  status: string,
  { description, body, errors }: { description: MessageText; body: OwnBody; errors: DescribedErrors },
  components: ComponentRegistry,
): Response {
  const invalid = status === '400' ? (errors.invalid ?? []) : []
  if (body === 'document') {
    const usual = invalid.length === 0 ? undefined : { anyOf: [...invalid, referToError(components)] }
    const response = createErrorResponse(description, headersByStatus[status], components, usual)
    return { ...response, content: { 'text/html': { schema: { type: 'string' } }, ...response.content } }
  }
  const schema = { anyOf: [body, ...invalid, referToError(components)] }
  return createErrorResponse(description, headersByStatus[status], components, schema)
}

// Renderers of the application may write errors too.
function addRenderers(responses: Responses, { renderers }: View, { components }: ComponentRegistry): Responses {
  const own = renderers
    .map(({ mediaType }) => mediaType)
    .filter(type => type !== 'text/html' && !/[/+]json$/.test(type))
  if (own.length === 0) return responses
  const added = Object.fromEntries(own.map(mediaType => [mediaType, {}]))
  return mapEntries(responses, response => {
    const found =
      '$ref' in response ? components.responses[String(response.$ref).replace(/.*\//, '')]! : (response as Response)
    return found.content === undefined ? found : { ...found, content: { ...found.content, ...added } }
  })
}

// The status is that of the first object with an error.
const itemStatuses: readonly string[] = ['403', '404', '409', '412']

const itemErrors: JsonSchema = { type: 'array', items: { type: 'object' } }

/** Whether the application makes the bodies of errors. */
export const hasOwnErrors = ({ exceptionHandler: handler }: View): boolean =>
  handler !== cachingExceptionHandler && handler !== exceptionHandler

/** The statuses of the errors of a method, and when they are the response. `view`: with the policies of the method. */
export function listStatuses(
  view: View,
  method: string,
  { path, errors = {} }: Pick<DescribedOperation, 'path' | 'errors'>,
): Record<string, MessageText> {
  const { authentication, permissions, refusal, throttles, lenientAccept, formatParam, descriptions } = view
  const hasSchemes = authentication.length > 0
  const isWrite = !isSafe(method)
  const hasBody = isWrite && (method !== 'DELETE' || descriptions.DELETE?.hasBody === true)
  const isThrottled = throttles.length > 0 || authentication.some(({ name }) => name === 'basic')
  const isFound = Object.keys(path ?? {}).length === 0 && !view.path.includes(':')
  const found: Record<string, boolean> = {
    400: true,
    401: hasSchemes && refusal.challenge !== undefined,
    403: hasSchemes || permissions.length > 0,
    404:
      !isFound || (formatParam !== null && !lenientAccept) || isVersioned('header', view) || isVersioned('query', view),
    406: !lenientAccept || isVersioned('accept', view),
    413: hasBody,
    415: hasBody,
    // Accounts limit the attempts to guess a password.
    429: isThrottled,
    500: true,
    503: true,
    507: isWrite && errors.usesDatabase === true,
  }
  return Object.fromEntries(Object.entries(sharedDescriptions).filter(([status]) => found[status]))
}

const isVersioned = (place: string, { versioning }: View): boolean =>
  typeof versioning === 'object' && versioning.in === place

/** When each error is the response. */
export const sharedDescriptions = {
  400: documentMessages('document.status_400'),
  401: documentMessages('document.status_401'),
  403: documentMessages('document.status_403'),
  404: documentMessages('document.status_404'),
  406: documentMessages('document.status_406'),
  409: documentMessages('document.status_409'),
  412: documentMessages('document.status_412'),
  413: documentMessages('document.status_413'),
  415: documentMessages('document.status_415'),
  422: documentMessages('document.status_422'),
  428: documentMessages('document.status_428'),
  429: documentMessages('document.status_429'),
  500: documentMessages('document.status_500'),
  503: documentMessages('document.status_503'),
  507: documentMessages('document.status_507'),
} as const satisfies Readonly<Record<number, MessageText>>

const descriptions: Readonly<Record<string, MessageText>> = sharedDescriptions

const sharedNames: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'NotAuthenticated',
  403: 'PermissionDenied',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'IdempotencyKeyReused',
  428: 'PreconditionRequired',
  429: 'Throttled',
  500: 'ServerError',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
}

const headersByStatus: Readonly<Record<string, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

function createErrorResponse(
  description: MessageText,
  headers: readonly ResponseHeader[] | undefined,
  components: ComponentRegistry,
  schema: JsonSchema = referToError(components),
): Response {
  return {
    description: draftText(description),
    ...(headers && { headers: referToHeaders(headers, components) }),
    content: describeErrorBody(schema, components),
  }
}

/** Refers to the descriptions of these header fields. */
export const referToHeaders = (
  names: readonly ResponseHeader[],
  components: ComponentRegistry,
): Record<string, Reference> =>
  Object.fromEntries(names.map(name => [name, components.referToHeader(name, responseHeaders[name])]))

function describeInvalid(errors: DescribedErrors, components: ComponentRegistry): Response | Reference {
  // Code of the application may refuse input that is not declared.
  const { mayRaiseOthers = false, invalid = mayRaiseOthers ? [{ type: 'object' }] : [] } = errors
  if (invalid.length === 0)
    return components.referToResponse('BadRequest', () =>
      createErrorResponse(sharedDescriptions[400], undefined, components),
    )
  const schema = { anyOf: [...invalid, referToError(components)] }
  return createErrorResponse(documentMessages('document.invalid'), undefined, components, schema)
}

const referToDefault = (components: ComponentRegistry): Reference =>
  components.referToResponse('Error', () => ({
    description: draftText(documentMessages('document.other_error')),
    content: describeErrorBody({ anyOf: [referToError(components), { type: 'object' }] }, components),
  }))

const describeErrorBody = (schema: JsonSchema, components: ComponentRegistry): Content => ({
  'application/json': { schema },
  'application/problem+json': { schema: components.refer('Problem', () => problem) },
})

const referToError = (components: ComponentRegistry): JsonSchema => components.refer('Error', () => error)

const error: JsonSchema = {
  type: 'object',
  description: documentMessages('document.error'),
  properties: { detail: { type: 'string', description: documentMessages('document.detail') } },
  required: ['detail'],
}

const problem: JsonSchema = {
  type: 'object',
  description: documentMessages('document.problem'),
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: documentMessages('document.detail') },
    code: { type: 'string', description: documentMessages('document.code') },
    errors: { description: documentMessages('document.errors') },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
}
