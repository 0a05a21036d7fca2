// The page that explains why a saved view was rejected: that of the list whose menu has the form.

import { endUrl, type RequestContext, splitQuery, ValidationError } from '#core'
import { findRail } from './frame/rail.ts'
import { readNext } from './gateway/page-form.ts'
import type { PageContext } from './page/page-context.ts'
import { readView } from './page/read-view.ts'
import { type ResponseData, readResponseData } from './page/response-data.ts'
import { createContextIn } from './page/view-above.ts'
import { savedViewsName } from './saved-views/saved-views.ts'

/** The list, as a GET of the same caller shows it; undefined if no menu of a list sent the request. */
export async function readListOfView(
  { view, request, frameContext, error }: PageContext,
  requestContext: RequestContext,
): Promise<{ readonly context: RequestContext; readonly data: ResponseData } | undefined> {
  if (view.resource?.name !== savedViewsName || !(error instanceof ValidationError)) return undefined
  const [, parameters] = splitQuery(request.raw.url ?? '')
  const [path, query] = splitQuery(readNext(new URLSearchParams(parameters), view, request) ?? '')
  const { sections } = await findRail(frameContext ?? requestContext, view)
  for (const { api, entries } of sections) {
    const entry = entries.find(({ href }) => href === path)
    if (entry === undefined) continue
    const url = endUrl(entry.view.path, api.urlEnd) + query
    const context = createContextIn({ ...requestContext, view: entry.view }, api, url)
    const shown = await readView(context, entry.view)
    return shown && { context, data: await readResponseData(shown.body) }
  }
  return undefined
}
