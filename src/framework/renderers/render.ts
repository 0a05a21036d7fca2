// The last phase: an answer, with the header fields that its view and the phases before gave it, as it goes to the client.

import type { Answer, HeaderFields } from '../answer.ts'
import { type Negotiated, negotiateOther } from '../negotiation/negotiate.ts'
import type { Notes } from '../view.ts'
import type { Exchange } from './renderer.ts'

/** An answer as it goes to the client. */
export interface Rendered {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: string | NodeJS.ReadableStream | undefined
}

/** An exchange whose answer has not been written yet. */
export type Unrendered = Omit<Exchange, 'status' | 'headers'>

/** The answer in the negotiated format, or in another one of the API where that format cannot write it. */
export function render(
  { status, content, headers: own }: Answer,
  negotiated: Negotiated,
  exchange: Unrendered,
): Rendered | Promise<Rendered> {
  const { view, request, notes, error } = exchange
  if (content === undefined) return { status, headers: { ...view.headers, ...notes.headers, ...own }, body: undefined }
  const { renderer, parameters } = negotiated.renderer.takes(content)
    ? negotiated
    : negotiateOther(request, view, content)
  const headers = { ...view.fieldsOf(renderer), ...notes.headers, ...own }
  const body = renderer.render(content, parameters, { view, request, notes, error, status, headers })
  return body instanceof Promise
    ? body.then(ready => ({ status, headers: withCookies(headers, notes), body: ready }))
    : { status, headers, body }
}

// A page may set the cookie of its forms.
const withCookies = (headers: HeaderFields, { headers: noted }: Notes): HeaderFields =>
  noted['set-cookie'] === undefined ? headers : { ...headers, 'set-cookie': noted['set-cookie'] }
