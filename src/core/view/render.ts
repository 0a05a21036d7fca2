// The last phase: checks and renders a response, with the header fields of its view and of the earlier phases. If the
// client already has the representation, a GET gets 304 instead, and 412 if it demands another one (decision 067).

import { validateHeaderName, validateHeaderValue } from '../base/http.ts'
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'
import type { Fields } from '../fields/field.ts'
import { compress, findCoding } from '../http/compression/compress.ts'
import type { ContentCoding } from '../http/compression/content-coding.ts'
import {
  checkReadPreconditions,
  createCodedTag,
  createTag,
  createVariantTag,
  formatTag,
  isNotModified,
} from '../http/conditional/preconditions.ts'
import type { HandlerContext, SetHeaders } from '../http/context.ts'
import { htmlDocumentRenderer } from '../http/renderers/html-document.ts'
import { jsonRenderer } from '../http/renderers/json.ts'
import type { RenderContext, RenderedBody, RenderedResponse, Renderer } from '../http/renderers/renderer.ts'
import {
  type ApiResponse,
  Document,
  FileContent,
  formatBody,
  type HeaderFields,
  type HeaderLayers,
  JsonStream,
  tagOnly,
  UnreadJson,
} from '../http/response.ts'
import { isSafe } from '../policy/permissions/permission.ts'
import { type Negotiated, negotiateFallback } from './negotiate.ts'
import type { View } from './view.ts'

/** The results of the earlier phases; `headers` are the fields that they set. */
export interface ResponseContext extends Omit<RenderContext<View>, 'status' | 'headers'> {
  readonly headers: HeaderFields | undefined
}

/**
 * Throws an Error that names the view if its handler has returned what cannot be sent: Node closes the connection of a response that
 * it refuses.
 */
export function checkResponse(response: unknown, { view, method }: Pick<HandlerContext, 'view' | 'method'>): void {
  const problem = findResponseProblem(response)
  if (problem !== undefined) throw new Error(`view "${view.name}": the handler of ${method} ${problem}`)
}

/** Describes, as the rest of a sentence, why this value cannot be sent as a response; undefined if it can. */
export function findResponseProblem(response: unknown): string | undefined {
  if (response === undefined) return 'returned no response'
  if (typeof response !== 'object' || response === null)
    return `returned ${response === null ? 'null' : `a ${typeof response}`}: return an object with a status, such as { status: 204 }`
  const { status, headers } = response as { readonly status?: unknown; readonly headers?: HeaderFields }
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return `returned the status ${String(status)}: return one between 200 and 599`
  const problem = headers === undefined ? undefined : findHeaderProblem(headers)
  return problem && `returned header fields that cannot be sent: ${problem}`
}

/** Describes which of these header fields Node refuses to send, and why; undefined if it takes all. */
export function findHeaderProblem(headers: HeaderFields): string | undefined {
  try {
    for (const name in headers) {
      validateHeaderName(name)
      const value = headers[name] ?? ''
      if (typeof value === 'string') validateHeaderValue(name, value)
      else for (const line of value) validateHeaderValue(name, line)
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Renders the response in the negotiated format, or with another renderer of the API if that format cannot represent
 * the body. Throws PreconditionFailed if a GET demands another representation.
 */
export function render(
  response: ApiResponse,
  negotiated: Negotiated,
  context: ResponseContext,
): MaybePromise<RenderedResponse> {
  const { status, body, headers: ownHeaders } = response
  const { view, request, requestContext, requestBody, error } = context
  if (body === undefined) return { status, headers: [view.headers, context.headers, ownHeaders], body: undefined }
  if (body instanceof UnreadJson) return renderUnread(body, response, negotiated, context)
  if (body instanceof FileContent)
    return { status, headers: [view.headers, context.headers, ownHeaders], body: body.stream }
  const { renderer, parameters } = chooseRenderer(response, negotiated, context)
  const rendererHeaders = view.headersFor(renderer)
  const isTagged =
    response.validators !== undefined &&
    rendererHeaders['cache-control'] === undefined &&
    ownHeaders?.['cache-control'] === undefined &&
    !(body instanceof JsonStream)
  const isPlainJson = isCompactJson({ renderer, parameters })
  const coding = isTagged && isPlainJson ? findResponseCoding(formatBody(body).length, context) : undefined
  const validated =
    isTagged && isPlainJson ? validate(response, createCodedTag(createTag(body), coding), context) : undefined
  if (validated?.notModified !== undefined) return validated.notModified
  const headers = [rendererHeaders, context.headers, ownHeaders, validated?.headers]
  const renderContext = { view, request, requestContext, requestBody, error, status, headers }
  const rendering = renderer.render(body, parameters, renderContext)
  const finish = (rendered: Rendered): MaybePromise<RenderedResponse> => {
    const result = toResponse(status, headers, rendered)
    if (coding !== undefined) return encode(result, coding)
    if (renderer.compresses) return compressPage(result, context)
    return isTagged && !isPlainJson ? tagVariant(response, result, context) : result
  }
  return typeof rendering !== 'string' && isPromise(rendering)
    ? Promise.resolve(rendering).then(finish)
    : finish(rendering)
}

// A document that says what went wrong has no other form, so it is sent to every client.
function chooseRenderer(
  { status, body }: ApiResponse,
  negotiated: Negotiated,
  { view, request }: ResponseContext,
): Negotiated {
  if (status >= 400 && body instanceof Document) return { renderer: htmlDocumentRenderer, parameters: new Map() }
  return negotiated.renderer.canRender(body) ? negotiated : negotiateFallback(request, view, body)
}

/** Creates the function that returns the header fields of a view in the format of a renderer, joined once. */
export function createHeaders(headers: HeaderFields, viewHeaders: HeaderFields | undefined): View['headersFor'] {
  const headersByRenderer = new Map<Renderer<View>, HeaderFields>()
  return renderer => {
    const cached = headersByRenderer.get(renderer)
    if (cached !== undefined) return cached
    const joined = { ...headers, ...renderer.headers, ...viewHeaders, 'content-type': renderer.contentType }
    headersByRenderer.set(renderer, joined)
    return joined
  }
}

function isCompactJson({ renderer, parameters }: Pick<Negotiated, 'renderer' | 'parameters'>): boolean {
  return renderer === jsonRenderer && parameters.size === 0
}

// Reads the body only if the client does not have it.
function renderUnread(
  { tag, length, read }: UnreadJson,
  response: ApiResponse,
  negotiated: Negotiated,
  context: ResponseContext,
): MaybePromise<RenderedResponse> {
  const isTagged = isCompactJson(negotiated) && context.view.headersFor(jsonRenderer)['cache-control'] === undefined
  const coding = findResponseCoding(length, context)
  const notModified = isTagged ? validate(response, createCodedTag(tag, coding), context).notModified : undefined
  if (notModified !== undefined) return notModified
  const reading = read()
  const renderRead = (found: ApiResponse) => render(found, negotiated, context)
  return isPromise(reading) ? reading.then(renderRead) : renderRead(reading)
}

function findResponseCoding(
  length: number,
  { view, request, requestContext }: ResponseContext,
): ContentCoding | undefined {
  if (!view.compresses || !isSafe(request.method)) return undefined
  const isAuthenticated = requestContext?.user.isAuthenticated === true
  return findCoding(request.headers, { length, isAuthenticated })
}

// Pages are not stored, so that they have no tag.
function compressPage(
  rendered: RenderedResponse,
  { request, requestContext }: ResponseContext,
): MaybePromise<RenderedResponse> {
  const { body } = rendered
  if (typeof body !== 'string') return rendered
  const isAuthenticated = requestContext?.user.isAuthenticated === true
  const coding = findCoding(request.headers, { length: body.length, isAuthenticated })
  return coding === undefined ? rendered : encode(rendered, coding)
}

async function encode(rendered: RenderedResponse, coding: ContentCoding): Promise<RenderedResponse> {
  const headers = [...rendered.headers, { 'content-encoding': coding }]
  return { ...rendered, headers, body: await compress(rendered.body as string, coding) }
}

type Rendered = NodeJS.ReadableStream | string | RenderedBody

function toResponse(status: number, headers: HeaderLayers, rendered: Rendered): RenderedResponse {
  if (typeof rendered === 'string' || !('body' in rendered)) return { status, headers, body: rendered }
  return { status: rendered.status ?? status, headers: [...headers, rendered.headers], body: rendered.body }
}

// The output of another renderer may depend on more than the body, so its bytes are part of the tag.
function tagVariant(response: ApiResponse, rendered: RenderedResponse, context: ResponseContext): RenderedResponse {
  if (typeof rendered.body !== 'string') return rendered
  const tag = createVariantTag(createTag(response.body), rendered.body)
  const { notModified, headers } = validate(response, tag, context)
  return notModified ?? { ...rendered, headers: [...rendered.headers, headers] }
}

interface Validated {
  readonly headers: HeaderFields
  /** The response if the client has the representation; undefined if it has not. */
  readonly notModified: RenderedResponse | undefined
}

function validate(response: ApiResponse, tag: string, context: ResponseContext): Validated {
  const { request, requestContext, view } = context
  const { lastModified, ignoresModifiedSince } = response.validators ?? tagOnly
  const isRead = isSafe(request.method)
  const headers: Record<string, string> = { etag: formatTag(tag) }
  if (lastModified !== undefined) headers['last-modified'] = lastModified
  const caching = isRead ? describeCaching(requestContext?.user.isAuthenticated === true, lastModified) : undefined
  if (caching !== undefined) headers['cache-control'] = caching
  if (!isRead) return { headers, notModified: undefined }
  const current = { tag, lastModified }
  checkReadPreconditions(request.headers, current)
  const compared = ignoresModifiedSince ? { tag, lastModified: undefined } : current
  if (!isNotModified(request.headers, compared)) return { headers, notModified: undefined }
  const layers = [view.headers, context.headers, response.headers, headers]
  return { headers, notModified: { status: 304, headers: layers, body: undefined } }
}

// The browser of an authenticated caller may store the representation, and revalidates it before each use. A cache would
// otherwise compute a lifetime from Last-Modified (RFC 9111 §4.2.2).
function describeCaching(isAuthenticated: boolean, lastModified: string | undefined): string | undefined {
  if (isAuthenticated) return 'private, no-cache'
  return lastModified === undefined ? undefined : 'no-cache'
}

/** The header fields that a handler and its hooks set. */
export interface OwnHeaders {
  readonly set: SetHeaders
  /** The fields that were set. */
  readonly headers: Readonly<Record<string, string>>
  /** Adds them to a response. */
  add(response: ApiResponse): ApiResponse
}

export function collectHeaders(declared: Fields): OwnHeaders {
  const headers: Record<string, string> = {}
  return {
    headers,
    set(values) {
      for (const [name, value] of Object.entries(values)) {
        if (!Object.hasOwn(declared, name))
          throw new Error(`setHeaders(): there is no header field "${name}": add it to "responseHeaders"`)
        if (value !== undefined) headers[name] = String(value)
      }
    },
    add: response => ({ ...response, headers: { ...response.headers, ...headers } }),
  }
}

/** `setHeaders` of a view that declares no header fields. */
export const refuseHeaders: SetHeaders = () => {
  throw new Error('setHeaders(): the view declares no header fields of its own: add "responseHeaders"')
}
