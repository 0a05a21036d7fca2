// Reads another object for a part of a page.

import { formatBody, parseIntegers } from '#core'
import type { PageContext } from './page-context.ts'
import { isObjectView } from './page-title.ts'
import { readView } from './read-view.ts'
import { findRequest } from './view-above.ts'

/** An object, and the context of its page. */
export interface ShownObject {
  readonly context: PageContext
  readonly body: unknown
}

/** The object whose page has this path, as a GET by the same caller shows it; undefined if there is none, or the caller may not read it. */
export async function readObjectAt(path: string, context: PageContext): Promise<ShownObject | undefined> {
  const { root } = context.view
  const target = path.startsWith(`${root}/`) ? findRequest(context, path.slice(root.length)) : undefined
  const response = target && isObjectView(target.view) ? await readView(target.context, target.view) : undefined
  if (response?.body === undefined) return undefined
  const { view, context: requestContext } = target!
  const shown = { ...context, view, request: requestContext.request, requestContext, status: response.status }
  return { context: shown, body: parseIntegers(formatBody(response.body)) }
}
