// The result of an action: a redirect to its object, or the values that no other page shows, such as the text of a token.

import { html } from 'ghtml'
import {
  formatBody,
  type HeaderFields,
  joinLayers,
  parseIntegers,
  type RenderContext,
  type RenderedBody,
  type ResponseBody,
  type View,
} from '#core'
import { formatNewUrl } from '../forms/new-page.ts'
import {
  anotherParameter,
  findParentPath,
  formatDone,
  formatViewAction,
  isFromPage,
  noticeHeaders,
  readNext,
} from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { isListView, isObjectView } from '../page/page-title.ts'
import { pagePath, pageQuery, pageUrl } from '../page/page-url.ts'
import { readObject } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import { createContextAt, findRequest, type OtherRequest } from '../page/view-above.ts'

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
  const path = pagePath({ view, request })
  const location = findParentPath(path)
  const notice = formatDone(formatViewAction(path, request.method))
  return { status: 303, body: '', headers: noticeHeaders(location, notice, view.baseUrl(request)) }
}

/** The values of a response to POST that the page of the object does not show; empty if there are none. */
export async function onceSection(context: PageContext, { location }: HeaderFields, body: unknown): Promise<string> {
  const { view, requestContext, request, status, words } = context
  if (request.method !== 'POST' || status >= 300 || requestContext === undefined) return ''
  const path = typeof location === 'string' ? findPath(location, requestContext.baseUrl) : findParentPath(view.path)
  const shown = path === undefined ? undefined : await readShown(context, path)
  const once = shown === undefined ? [] : listOnce(view, body, shown)
  if (once.length === 0) return ''
  return html`<div class="notice" role="status">!${onceHtml(once, words)}<p>${words('page.once')}</p></div>
`
}

/**
 * The redirect after a form of a page has created an object: to the object, or to an empty form for another one. Undefined if the caller
 * cannot read the object, or if its page does not show all of the response.
 */
export async function redirectToCreated(body: unknown, context: PageContext): Promise<RenderedBody | undefined> {
  const { view, request, requestContext, status, headers } = context
  const { location } = joinLayers(headers)
  if (request.method !== 'POST' || status >= 300 || !isListView(view) || !isFromPage(view, request)) return undefined
  const path = typeof location === 'string' ? findPath(location, requestContext!.baseUrl) : undefined
  const shown = path === undefined ? undefined : await readShown(context, path)
  if (shown === undefined || listOnce(view, body, shown).length > 0) return undefined
  const url = view.root + path
  const another = pageQuery(context).has(anotherParameter) ? formatNewUrl(pageUrl(context), false) : undefined
  const next = another ?? readNext(pageQuery(context), view, request) ?? url
  return { status: 303, body: '', headers: noticeHeaders(next, `created:${url}`, requestContext!.baseUrl) }
}

async function readShown(context: PageContext, path: string): Promise<unknown> {
  const request = findObject(context, path)
  const response = request && (await readView(request.context, request.view))
  return response?.body && parseIntegers(formatBody(response.body))
}

// The path below the API's prefix.
const findPath = (location: string, baseUrl: string): string | undefined =>
  location.startsWith(`${baseUrl}/`) ? location.slice(baseUrl.length) : undefined

function findObject(context: PageContext, path: string): OtherRequest | undefined {
  const { view, requestContext } = context
  if (path === findParentPath(view.path)) {
    const above = view.findView(path)
    return above && { view: above, context: createContextAt(requestContext!, above) }
  }
  return findRequest(context, path)
}

// The texts that only this response shows.
function listOnce({ envelope }: View, body: unknown, shown: unknown): readonly (readonly [string, string])[] {
  const shownValues = readObject(shown, envelope)
  return Object.entries(readObject(body, envelope)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !Object.hasOwn(shownValues, entry[0]),
  )
}

/** A line with a text and the button that copies it. */
export const copyLine = (label: string, value: string, words: Words): string =>
  html`<p class="copied-line"><b>${label}</b> <code>${value}</code> <button type="button" data-copy data-copied="${words('page.copied')}" data-needs-script hidden>${words('page.copy')}</button></p>
`

const onceHtml = (entries: readonly (readonly [string, string])[], words: Words): string =>
  entries.map(([name, value]) => copyLine(words.label(name, {}), value, words)).join('')
