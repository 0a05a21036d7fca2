// The last phase: renders a response, with the header fields of its view and of the earlier phases.

import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { type Negotiated, negotiateFallback } from '../negotiation/negotiate.ts'
import type { ApiResponse, HeaderFields, HeaderLayers } from '../response.ts'
import type { View } from '../view.ts'
import type { RenderContext, RenderedBody } from './renderer.ts'

/** A response ready to be sent. */
export interface RenderedResponse {
  readonly status: number
  readonly headers: HeaderLayers
  readonly body: string | NodeJS.ReadableStream | undefined
}

/** The results of the earlier phases; `headers` are the fields that they set. */
export interface ResponseContext extends Omit<RenderContext<View>, 'status' | 'headers'> {
  readonly headers: HeaderFields | undefined
}

/**
 * Renders the response in the negotiated format, or with another renderer of the API if that format cannot represent
 * the body.
 */
export function render(
  { status, body, headers: ownHeaders }: ApiResponse,
  negotiated: Negotiated,
  context: ResponseContext,
): MaybePromise<RenderedResponse> {
  const { view, request, requestContext, requestBody, error } = context
  if (body === undefined) return { status, headers: [view.headers, context.headers, ownHeaders], body: undefined }
  const { renderer, parameters } = negotiated.renderer.canRender(body)
    ? negotiated
    : negotiateFallback(request, view, body)
  const headers = [view.headersFor(renderer), context.headers, ownHeaders]
  const renderContext = { view, request, requestContext, requestBody, error, status, headers }
  const rendered = renderer.render(body, parameters, renderContext)
  return isPromise(rendered)
    ? rendered.then(result => toResponse(status, headers, result))
    : toResponse(status, headers, rendered)
}

function toResponse(
  status: number,
  headers: HeaderLayers,
  rendered: NodeJS.ReadableStream | string | RenderedBody,
): RenderedResponse {
  if (typeof rendered === 'string' || !('body' in rendered)) return { status, headers, body: rendered }
  return { status, headers: [...headers, rendered.headers], body: rendered.body }
}
