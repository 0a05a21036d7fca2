// The last phase: a response, with the header fields of its view and of the phases before, as it goes to the client.

import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { type Negotiated, negotiateOther } from '../negotiation/negotiate.ts'
import type { ApiResponse, HeaderFields, HeaderLayers } from '../response.ts'
import type { View } from '../view.ts'
import type { RenderContext, RenderedBody } from './renderer.ts'

/** A response as it goes to the client. */
export interface RenderedResponse {
  readonly status: number
  readonly headers: HeaderLayers
  readonly body: string | NodeJS.ReadableStream | undefined
}

/** A response that is not written yet belongs to this; `headers` are those that the phases found. */
export interface ResponseContext extends Omit<RenderContext<View>, 'status' | 'headers'> {
  readonly headers: HeaderFields | undefined
}

/** The response in the negotiated format, or in another one of the API where that format cannot write it. */
export function render(
  { status, body, headers: own }: ApiResponse,
  negotiated: Negotiated,
  context: ResponseContext,
): MaybePromise<RenderedResponse> {
  const { view, request } = context
  if (body === undefined) return { status, headers: [view.headers, context.headers, own], body: undefined }
  const { renderer, parameters } = negotiated.renderer.canRender(body)
    ? negotiated
    : negotiateOther(request, view, body)
  const headers = [view.headersWith(renderer), context.headers, own]
  const rendered = renderer.render(body, parameters, { ...context, status, headers })
  return isPromise(rendered)
    ? rendered.then(found => toResponse(status, headers, found))
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
