// The menu of a list that saves its filters, order and columns as a view with a name, and changes the view that is open.

import { html } from 'ghtml'
import { isSafe } from '#core'
import { formatMethodUrl, tokenInput } from '../forms/forms.ts'
import type { RailEntry } from '../frame/rail.ts'
import { nextParameter, shownField } from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageUrl } from '../page/page-url.ts'
import {
  findOpenView,
  findSavedViewList,
  formatViewQuery,
  formatViewUrl,
  maxViewName,
  type SavedView,
  type SavedViewList,
  savedViewsName,
} from '../saved-views/saved-views.ts'
import { listErrors, toLines } from '../values/value-texts.ts'

/** The values that the forms of the menu contain. */
interface Menu {
  readonly saved: SavedViewList
  readonly words: Words
  readonly csrfToken: string | undefined
  /** Whether the caller may share views. */
  readonly isStaff: boolean
  /** The path of the list, as clients see it. */
  readonly href: string
  /** Its path on the server, which a view contains. */
  readonly list: string
  /** The query of the page. */
  readonly query: string
  /** The form that was rejected. */
  readonly refused: RefusedName | undefined
}

/** A name that was rejected. */
interface RefusedName extends Pick<SavedView, 'name' | 'is_shared'> {
  /** The form: that of a new view, or of the open one. */
  readonly id: 'new' | 'open'
  readonly errors: readonly string[]
}

/**
 * The menu; empty if there is nothing to save or to change, and if the list is not among `entries`, those of the rail, or its caller has no
 * account.
 */
export function viewsMenu(context: PageContext, entries: readonly RailEntry[], csrfToken: string | undefined): string {
  const { view, request, requestContext, words } = context
  const saved = findSavedViewList(view)
  const entry = entries.find(({ href }) => href === pagePath(context))
  const user = requestContext?.user
  if (saved === undefined || entry === undefined || !user?.isAuthenticated || !isSafe(request.method)) return ''
  const query = formatViewQuery(pageUrl(context), view)
  const open = findOpenView(entry.savedViews, pageUrl(context), view)
  const refused = findRefused(context)
  if (query === '' && open === undefined && refused === undefined) return ''
  const list = view.prefix + view.path
  const menu = { saved, words, csrfToken, isStaff: user.isStaff, href: entry.href, list, query, refused }
  const change = open !== undefined && open.owner === user.username ? changeForms(open, menu) : ''
  const label = open === undefined ? words('page.save_view') : words('page.view_named', { name: open.name })
  return html`<details class="menu views"!${refused === undefined ? '' : ' open'}><summary class="button"><bdi>${label}</bdi></summary><div>!${change}!${createForm(menu)}</div></details>`
}

function findRefused({ rejection }: PageContext): RefusedName | undefined {
  const { view, request, requestBody: body, error } = rejection?.context ?? {}
  if (view?.resource?.name !== savedViewsName || body?.kind !== 'form' || !body.form.has('name')) return undefined
  return {
    id: request?.method === 'POST' ? 'new' : 'open',
    name: body.form.get('name')!,
    is_shared: body.form.get('is_shared') === 'true',
    errors: toLines(listErrors(error).name),
  }
}

function createForm(menu: Menu): string {
  const { saved, words, href, list, query } = menu
  const action = `${saved.href}?${new URLSearchParams({ [nextParameter]: query === '' ? href : `${href}?${query}` })}`
  const content = html`<input type="hidden" name="list" value="${list}"><input type="hidden" name="query" value="${query}">!${nameControls('new', undefined, menu)}<p><button class="primary">${words('page.save_as_view')}</button></p>`
  return html`<form method="post" action="${action}" autocomplete="off">!${tokenInput(menu.csrfToken)}!${content}</form>`
}

function changeForms(open: SavedView, menu: Menu): string {
  const { words, href, query } = menu
  const opened = formatViewUrl(open, href)
  const replacing = formatViewUrl({ ...open, query }, href)
  const replace = html`<input type="hidden" name="query" value="${query}"><p><button>${words('page.replace_view')}</button></p>`
  // Without the box, the view stays shared or private.
  const shown = menu.isStaff ? html`<input type="hidden" name="${shownField}" value="is_shared">` : ''
  const rename = html`!${shown}!${nameControls('open', open, menu)}<p><button>${words('page.rename_view')}</button></p>`
  return [
    query === open.query ? '' : changeForm('PATCH', open, replacing, replace, menu),
    changeForm('PATCH', open, opened, rename, menu),
    changeForm('DELETE', open, href, html`<p><button class="danger">${words('page.delete_view')}</button></p>`, menu),
  ].join('')
}

function changeForm(
  method: string,
  { id }: SavedView,
  next: string,
  contentHtml: string,
  { saved, csrfToken }: Menu,
): string {
  const path = saved.href.replace(/\/?$/, `/${id}${saved.api.urlEnd}`)
  const action = formatMethodUrl(`${path}?${new URLSearchParams({ [nextParameter]: next })}`, method, undefined)
  return html`<form method="post" action="${action}" autocomplete="off">!${tokenInput(csrfToken)}!${contentHtml}</form>`
}

function nameControls(id: RefusedName['id'], saved: SavedView | undefined, { words, isStaff, refused }: Menu): string {
  const isRefused = refused?.id === id
  const { name = '', is_shared = false } = (isRefused ? refused : saved) ?? {}
  const shared = html`<p><label><input type="checkbox" name="is_shared" value="true" !${is_shared ? 'checked' : ''}> ${words('page.share_view')}</label></p>`
  const errors = isRefused
    ? html`<ul class="errors" id="view-errors">!${refused.errors.map(error => html`<li>${error}</li>`)}</ul>`
    : ''
  const invalid = isRefused ? ' aria-invalid="true" aria-describedby="view-errors"' : ''
  return html`<p><label for="view-name-${id}">${words('page.view_name')}</label><input type="text" id="view-name-${id}" name="name" value="${name}" maxlength="${maxViewName}" required!${invalid}></p>!${errors}!${isStaff ? shared : ''}`
}
