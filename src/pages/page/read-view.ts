// Reads other views for parts of a page.

import { formatBody, hasAllowedMethod, parseIntegers, type ResponseBody, readView } from '#core'
import type { PageContext } from './page-context.ts'
import { createContextAt } from './view-above.ts'

/** The body of the view directly below the page; undefined if there is none, or the caller may not read it. */
export async function readViewBelow({ view, requestContext }: PageContext, name: string): Promise<unknown> {
  const below = view.children.includes(name) ? view.findView(`${view.path}${name}/`) : undefined
  if (requestContext === undefined || below === undefined || !below.handlers.has('GET')) return undefined
  const context = createContextAt(requestContext, below)
  if (!(await hasAllowedMethod(context, below))) return undefined
  const response = await readView(context, below)
  return response?.body && parseIntegers(formatBody(response.body))
}

/** The body of a GET of the page's own URL without its query; undefined if the caller may not read it. */
export async function readOwnView({ view, requestContext }: PageContext): Promise<ResponseBody | undefined> {
  if (requestContext === undefined) return undefined
  return (await readView(createContextAt(requestContext, view), view))?.body
}
