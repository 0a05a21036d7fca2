// The actions of a page: open the views below it, delete its object, open other formats, and call OPTIONS. It offers only the
// actions that are permitted to this caller.

import { html } from 'ghtml'
import { addSlash, endUrl, type Form, formatListTitle, isPermitted } from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageUrl } from '../page/page-url.ts'
import { createContextAt } from '../page/view-above.ts'
import { deletionParameter } from './deletion-page.ts'

/** The URL of the page in another format; undefined if the API has no format parameter. */
export function formatUrl(context: PageContext, format: string): string | undefined {
  const { formatParam } = context.view
  if (formatParam === null) return undefined
  const [path, query] = pageUrl(context).split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.set(formatParam, format)
  return `${path}?${parameters}`
}

/** The link or button of an action. */
export interface ActionButton {
  readonly html: string
  readonly isInMenu: boolean
}

/**
 * The links and buttons at the heading of a page: the views below it, and the actions and the deletion of its object. If the page
 * has a menu, the deletion is in it.
 */
export async function pageActions(
  context: PageContext,
  forms: Readonly<Record<string, Form>>,
  buttons: readonly ActionButton[],
): Promise<string> {
  const path = pagePath(context)
  const children = await listReadableChildren(context)
  const { view, words } = context
  const links = children.map(
    name =>
      html`<a class="button" href="${endUrl(`${addSlash(path)}${name}/`, view.urlEnd)}">${nameChild(name, context)}</a>`,
  )
  const [menu, main] = [true, false].map(isInMenu =>
    buttons.filter(button => button.isInMenu === isInMenu).map(button => button.html),
  )
  const deletion = forms.DELETE ? [deleteLink(context)] : []
  return menu!.length === 0
    ? [...links, ...main!, ...deletion].join('')
    : [...links, ...main!, menuHtml([...menu!, ...deletion], words)].join('')
}

function nameChild(name: string, { view, words }: PageContext): string {
  const label = view.findView(`${view.path}${name}/`)?.pageActions.GET?.label
  return words.text(label ?? formatListTitle(name))
}

const menuHtml = (items: readonly string[], words: Words): string =>
  html`<details class="menu"><summary class="button">${words('page.more_actions')}</summary>
<ul>!${items.map(item => html`<li>!${item}</li>`)}</ul></details>`

const deleteLink = (context: PageContext): string =>
  html`<a class="button danger" href="${pagePath(context)}?${deletionParameter}">${context.words('page.delete')}</a>`

/** The links to other formats. */
export function formatLinks(context: PageContext): string {
  const { view } = context
  const formats = view.renderers.filter(({ format }) => format !== 'api')
  return html`<div class="formats" role="group" aria-label="${context.words('page.actions')}">!${formats.map(({ format }) => formatLink(formatUrl(context, format), context.words('page.open_as', { format: format.toUpperCase() })))}</div>
`
}

const formatLink = (url: string | undefined, text: string): string =>
  url === undefined ? '' : html`<a class="button" href="${url}">${text}</a>`

/** The views that the pages of their objects show. */
const shownBelow: ReadonlySet<string> = new Set(['deletion', 'history'])

async function listReadableChildren({ view, requestContext, status }: PageContext): Promise<readonly string[]> {
  if (requestContext === undefined || status >= 400) return []
  const isAllowed = await Promise.all(
    view.children.map(async name => {
      if (shownBelow.has(name)) return false
      const child = view.findView(`${view.path}${name}/`)
      if (!child?.handlers.has('GET')) return false
      return isPermitted(
        { ...createContextAt(requestContext, child), method: 'GET', view: child },
        child.forMethod('GET').permissions,
      )
    }),
  )
  return view.children.filter((_, index) => isAllowed[index])
}
