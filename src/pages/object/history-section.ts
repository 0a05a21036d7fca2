// The last changes of the page's object, if it has a view `history`, such as in the administration.

import { html } from 'ghtml'
import { addSlash, endUrl, formatResourcePath, isObject, type View } from '#core'
import { findParentPath } from '../gateway/page-form.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath } from '../page/page-url.ts'
import { readViewBelow } from '../page/read-view.ts'
import { type Change, changeItems } from './history-changes.ts'

const maxChanges = 5

/** The section; empty if the object has no history that the caller may read. */
export async function historySection(context: PageContext): Promise<string> {
  const { status, request, words } = context
  if (status !== 200 || request.method !== 'GET') return ''
  const { results } = Object(await readViewBelow(context, 'history')) as { readonly results?: unknown }
  if (!areChanges(results) || results.length === 0) return ''
  const href = endUrl(`${addSlash(pagePath(context))}history/`, context.view.urlEnd)
  return html`<section class="history" aria-labelledby="history">
<h2 id="history">${words('page.history')} <a href="${href}">${words('page.all_history')}</a></h2>
<ul>!${await changeItems(results.slice(0, maxChanges), context.view, context, pagePath(context))}</ul>
</section>
`
}

/** Whether the view is the whole history of an object. */
export const isHistoryView = ({ path, resource }: View): boolean =>
  resource !== undefined && path.endsWith(`/${formatResourcePath(resource)}/:key/history/`)

/** The middle of that view's page; empty for other views. `body`: the body of the response, as data. */
export async function historyPage(context: PageContext, body: unknown): Promise<string> {
  const { view, words } = context
  const { results, next } = Object(body) as { readonly results?: unknown; readonly next?: unknown }
  if (!isHistoryView(view) || !areChanges(results)) return ''
  if (results.length === 0) return html`<p class="empty">${words('page.no_history')}</p>`
  const nextHtml =
    typeof next === 'string' ? html`<p><a class="button" href="${next}">${words('page.earlier')}</a></p>` : ''
  const objectView = view.findView(view.path.slice(0, -'history/'.length))
  return html`<section class="history" aria-label="${words('page.history')}">
<ul>!${await changeItems(results, objectView, context, findParentPath(pagePath(context)))}</ul>
!${nextHtml}</section>
`
}

// An application may have a view `history` with other values.
const areChanges = (results: unknown): results is readonly Change[] =>
  Array.isArray(results) && results.every(result => isObject(result) && 'changes' in result && isObject(result.changes))
