// The last phase: an answer, with the header fields that its view and the phases before gave it, as it goes to the client.

import { andThen, type MaybePromise } from '../maybe-promise.ts'
import { type Negotiated, negotiateOther } from '../negotiation/negotiate.ts'
import type { ApiResponse, HeaderLayers } from '../response.ts'
import type { RenderContext } from './renderer.ts'

/** An answer as it goes to the client. */
export interface RenderedResponse {
  readonly status: number
  readonly headers: HeaderLayers
  readonly body: string | NodeJS.ReadableStream | undefined
}

/** An exchange whose answer has not been written yet. */
export type Unrendered = Omit<RenderContext, 'status' | 'headers'>

/** The answer in the negotiated format, or in another one of the API where that format cannot write it. */
export function render(
  { status, body: content, headers: own }: ApiResponse,
  negotiated: Negotiated,
  exchange: Unrendered,
): MaybePromise<RenderedResponse> {
  const { view, request, notes, error } = exchange
  if (content === undefined) return { status, headers: [view.headers, notes.headers, own], body: undefined }
  const { renderer, parameters } = negotiated.renderer.canRender(content)
    ? negotiated
    : negotiateOther(request, view, content)
  // A page may still note the cookie of its forms.
  const headers = [view.fieldsOf(renderer), notes.headers, own]
  const body = renderer.render(content, parameters, { view, request, notes, error, status, headers })
  return andThen(body, ready => ({ status, headers, body: ready }))
}
