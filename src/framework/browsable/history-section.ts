// The last changes of the page's object, if it has a view `history`, such as in the administration.

import { html } from 'ghtml'
import { isObject } from '../is-object.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { addSlash, endUrl } from '../urls/trailing-slash.ts'
import type { View } from '../view.ts'
import { timeHtml } from './format-value.ts'
import { textHtml, toText } from './list-cells.ts'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'
import { readViewBelow } from './read-view.ts'
import type { Words } from './words.ts'

interface Change {
  readonly created: string
  readonly user: unknown
  readonly event: string
  readonly changes: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>
}

const maxChanges = 5

/** The section; empty if the object has no history that the caller may read. */
export function historySection(context: PageContext): MaybePromise<string> {
  const { status, request, view } = context
  const isRead = status === 200 && request.method === 'GET'
  return isRead && view.children.includes('history') ? renderChanges(context) : ''
}

async function renderChanges(context: PageContext): Promise<string> {
  const { words } = context
  const { results } = Object(await readViewBelow(context, 'history')) as { readonly results?: unknown }
  if (!areChanges(results) || results.length === 0) return ''
  const href = endUrl(`${addSlash(pagePath(context))}history/`, context.view.urlEnd)
  return html`<section class="history" aria-labelledby="history">
<h2 id="history">${words('page.history')} <a href="${href}">${words('page.all_history')}</a></h2>
<ul>!${results.slice(0, maxChanges).map(change => changeHtml(change, words))}</ul>
</section>
`
}

/** Whether the view is the whole history of an object. */
export const isHistoryView = ({ path, resource }: View): boolean =>
  resource !== undefined && path.endsWith(`/${resource.name}/:key/history/`)

/** The middle of that view's page; empty for other views. `body`: the body of the response, as data. */
export function historyPage({ view, words }: PageContext, body: unknown): string {
  const { results, next } = Object(body) as { readonly results?: unknown; readonly next?: unknown }
  if (!isHistoryView(view) || !areChanges(results)) return ''
  if (results.length === 0) return html`<p class="empty">${words('page.no_history')}</p>`
  const nextHtml =
    typeof next === 'string' ? html`<p><a class="button" href="${next}">${words('page.earlier')}</a></p>` : ''
  return html`<section class="history" aria-label="${words('page.history')}">
<ul>!${results.map(change => changeHtml(change, words))}</ul>
!${nextHtml}</section>
`
}

// An application may have a view `history` with other values.
const areChanges = (results: unknown): results is readonly Change[] =>
  Array.isArray(results) && results.every(result => isObject(result) && 'changes' in result && isObject(result.changes))

function changeHtml({ created, user, event, changes }: Change, words: Words): string {
  return html`<li><p class="help">!${timeHtml(created, words.language)} <bdi>${typeof user === 'string' ? user : words('page.somebody')}</bdi> ${event}</p>!${Object.entries(changes).map(changedFieldHtml)}</li>
`
}

/** The name of a changed field with its old and its new value, as far as they are known. */
export const changedFieldHtml = ([name, value]: readonly [string, Change['changes'][string]]): string =>
  html`<p><b>${name}</b>!${value.old === undefined ? '' : html` <del>!${valueHtml(value.old)}</del>`}!${value.new === undefined ? '' : html` <ins>!${valueHtml(value.new)}</ins>`}</p>`

const valueHtml = (value: unknown): string => (value === null || value === '' ? '&ndash;' : textHtml(toText(value)))
