// Identifies the caller for the frame of a page whose view has no schemes, such as that of unknown URLs. What the view
// itself does and shows stays that for an anonymous caller.

import { authenticate, type RenderContext, type RequestContext, type View } from '#core'

type Rendered = Pick<RenderContext<View>, 'view' | 'request' | 'requestContext'>

/** The context of the caller; undefined if the request has no valid host, or wrong credentials. */
export async function findFrameContext({
  view,
  request,
  requestContext,
}: Rendered): Promise<RequestContext | undefined> {
  const isIdentified = requestContext !== undefined && (view.hasSchemes || requestContext.user.isAuthenticated)
  if (isIdentified || view.apiAuthentication.length === 0) return requestContext
  return identify(view, request).catch(() => requestContext)
}

async function identify(view: View, request: RequestContext['request']): Promise<RequestContext> {
  const baseUrl = view.baseUrl(request)
  const caller = await authenticate(request, { ...view, authentication: view.apiAuthentication }, baseUrl)
  return { request, view, method: request.method, baseUrl, ...caller }
}
