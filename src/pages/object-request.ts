// The requests that the form of a list sends for single objects.

import type { FastifyRequest } from 'fastify'
import { csrfField, endUrl, type View } from '#core'

/** The request of one object. */
export interface ObjectRequest {
  readonly method: string
  /** A view of the list's API. */
  readonly view: Pick<View, 'prefix' | 'urlEnd'>
  /** The path below the API. */
  readonly path: string
  readonly parameters: unknown
  /** Whether it changes the object in any state. */
  readonly changesAnyState: boolean
}

/** Creates the request from that of the form: by the same caller, with the form's CSRF token, and for a response in JSON. */
export function createObjectRequest(
  request: FastifyRequest,
  form: URLSearchParams,
  { method, view, path, parameters, changesAnyState }: ObjectRequest,
): FastifyRequest {
  const { 'content-length': _, 'content-type': __, 'accept-encoding': ___, ...headers } = request.headers
  const own = { ...headers, accept: 'application/json', 'x-csrftoken': form.get(csrfField) ?? '' }
  return Object.create(request, {
    method: { value: method },
    url: { value: view.prefix + endUrl(path, view.urlEnd) },
    params: { value: parameters },
    query: { value: {} },
    headers: { value: changesAnyState ? { ...own, 'if-match': '*' } : own },
  })
}
