// The contexts of requests of a page's caller to other views.

import { addSlash, listParameterNames, type RequestContext, type SiteApi, type View } from '#core'
import type { PageContext } from './page-context.ts'

/**
 * The context of a request of the same caller to a view above or below the page. The parameters of its path get the values of
 * the page's parameters, in the same order.
 */
export function createContextAt(context: RequestContext, view: View): RequestContext {
  const { request } = context
  const values = listParameterNames(context.view.path).map(name => (request.params as Record<string, string>)[name]!)
  const params = Object.fromEntries(listParameterNames(view.path).map((name, index) => [name, values[index]!]))
  // Without the query, which is about the page.
  const url = request.url.split('?', 1)[0]
  return { ...context, view, request: Object.create(request, { params: { value: params }, url: { value: url } }) }
}

/** A request of the page's caller to another view. */
export interface OtherRequest {
  readonly view: View
  readonly context: RequestContext
}

/** The request to a path below the prefix of the page's API; undefined if nothing is there. */
export function findRequest({ view, requestContext }: PageContext, path: string): OtherRequest | undefined {
  const match = view.findMatch(addSlash(path))
  if (match === undefined || requestContext === undefined) return undefined
  const properties = { params: { value: match.parameters }, url: { value: view.prefix + path } }
  const request = Object.create(requestContext.request, properties)
  return { view: match.target, context: { ...requestContext, view: match.target, request } }
}

/** The context of a request of the same caller to another API of the server. `url`: path and query below the API's prefix. */
export function createContextIn(
  context: RequestContext,
  api: SiteApi<View>,
  url: string,
  params: Readonly<Record<string, string>> = {},
): RequestContext {
  const properties = { params: { value: params }, url: { value: api.prefix + url } }
  return {
    ...context,
    request: Object.create(context.request, properties),
    baseUrl: api.toBaseUrl(context.baseUrl),
  }
}
