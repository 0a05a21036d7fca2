// The views above and below the one that a page shows: what its caller may do there, and which object it is.

import type { RequestContext } from '../context.ts'
import { listParameterNames } from '../urls/path-parameters.ts'
import type { View } from '../view.ts'

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
