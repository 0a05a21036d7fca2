// The result of an action: a redirect to its object, or the values that no other page shows, such as the text of a token.

import { html } from 'ghtml'
import { readObject } from '../envelope/read-data.ts'
import { parseIntegers } from '../exact-json.ts'
import { findParentPath, noticeHeaders } from '../page-form.ts'
import type { RenderContext, RenderedBody } from '../renderers/renderer.ts'
import { formatBody, type HeaderFields, type ResponseBody } from '../response.ts'
import type { View } from '../view.ts'
import type { PageContext } from './page-context.ts'
import { isObjectView } from './page-title.ts'
import { pagePath } from './page-url.ts'
import { readView } from './read-view.ts'
import { createContextAt } from './view-above.ts'
import type { Words } from './words.ts'

/** The redirect to the object, if the response to an action is the object as its own page shows it; undefined otherwise. */
export async function redirectToObject(
  body: ResponseBody,
  { view, request, requestContext, status }: RenderContext<View>,
): Promise<RenderedBody | undefined> {
  const objectView = view.findView(findParentPath(view.path))
  if (request.method !== 'POST' || status !== 200 || objectView === undefined || !isObjectView(objectView))
    return undefined
  const shown = requestContext && (await readView(createContextAt(requestContext, objectView), objectView))
  if (shown?.body === undefined || formatBody(shown.body) !== formatBody(body)) return undefined
  const location = findParentPath(pagePath({ view, request }))
  return { status: 303, body: '', headers: noticeHeaders(location, 'done', view.baseUrl(request)) }
}

/** The values of a response to POST that the page of the object does not show; empty if there are none. */
export async function onceSection(context: PageContext, { location }: HeaderFields, body: unknown): Promise<string> {
  const { view, requestContext, request, status, words } = context
  if (request.method !== 'POST' || status >= 300 || requestContext === undefined) return ''
  const path = typeof location === 'string' ? findPath(location, requestContext.baseUrl) : findParentPath(view.path)
  const match = path === undefined ? undefined : findObject(context, path)
  const shown = match && (await readView(match.context, match.view))
  const once = shown?.body === undefined ? [] : listOnce(view, body, parseIntegers(formatBody(shown.body)))
  if (once.length === 0) return ''
  return html`<div class="notice" role="status">!${onceHtml(once, words)}<p>${words('page.once')}</p></div>
`
}

// The path below the API's prefix.
const findPath = (location: string, baseUrl: string): string | undefined =>
  location.startsWith(`${baseUrl}/`) ? location.slice(baseUrl.length) : undefined

function findObject(context: PageContext, path: string) {
  const { view, requestContext } = context
  if (path === findParentPath(view.path)) {
    const above = view.findView(path)
    return above && { view: above, context: createContextAt(requestContext!, above) }
  }
  const match = view.findMatch(path)
  if (match === undefined) return undefined
  const { request } = requestContext!
  const properties = { params: { value: match.parameters }, url: { value: view.prefix + path } }
  return {
    view: match.target,
    context: { ...requestContext!, view: match.target, request: Object.create(request, properties) },
  }
}

// The texts that only this response shows.
function listOnce({ envelope }: View, body: unknown, shown: unknown): readonly (readonly [string, string])[] {
  const known = readObject(shown, envelope)
  return Object.entries(readObject(body, envelope)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !Object.hasOwn(known, entry[0]),
  )
}

/** A line with a text and the button that copies it. */
export const copyLine = (label: string, value: string, words: Words): string =>
  html`<p class="copied-line"><b>${label}</b> <code>${value}</code> <button type="button" data-copy data-copied="${words('page.copied')}" data-needs-script hidden>${words('page.copy')}</button></p>
`

const onceHtml = (entries: readonly (readonly [string, string])[], words: Words): string =>
  entries.map(([name, value]) => copyLine(words.label(name, {}), value, words)).join('')
