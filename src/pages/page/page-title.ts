// The heading of a page and the title of its document.

import { html } from 'ghtml'
import { formatResourcePath, type View } from '#core'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'
import { readObject } from './read-data.ts'
import { describeSite } from './site-roots.ts'

/** The heading of a page without an error message: the name of its object, list, API or view. */
export function formatHeading(context: PageContext, body: unknown): string {
  return findShownName(context, body) ?? formatListHeading(context) ?? formatObjectHeading(context) ?? nameView(context)
}

/** The name of the object that the page shows; undefined if its view declares no field for it, and after an error. */
export const findShownName = (
  { view, status }: Pick<PageContext, 'view' | 'status'>,
  body: unknown,
): string | undefined => (status < 300 ? findName(view, body) : undefined)

/** The name of the object in a body, cut if it is too long for a heading. */
export function findName({ objectName, envelope }: View, body: unknown): string | undefined {
  const name = objectName === undefined ? undefined : readObject(body, envelope)[objectName]
  return typeof name === 'string' && name.trim() !== '' ? cutName(name) : undefined
}

const maxName = 200

const cutName = (name: string): string =>
  name.length > maxName ? `${name.slice(0, maxName).replace(/[\ud800-\udbff]$/, '')}…` : name

/** The title of the document: `Users · Administration`, or with the name of the site if the server has one API. */
export function formatTitle({ view, status, rejection, words }: PageContext, heading: string, site: string): string {
  const { ownTitle, hasSections } = describeSite(view)
  const isOfApi = view.resource !== undefined || view.path === '/'
  const own = isOfApi && hasSections ? ownTitle : undefined
  const isError = rejection !== undefined && rejection.context.status >= 400
  const text = isError ? `${words('page.error')}: ${heading}` : status < 400 ? heading : `${status} ${heading}`
  const place = own === undefined || own === heading ? site : own
  return text === place ? text : `${text} · ${place}`
}

/** The path of the view of unknown URLs. */
export const unknownPath = '/*'

// A root view without a name of its own shows the title of its API.
const defaultRootName = 'Api Root'

function formatListHeading({ view, words }: PageContext): string | undefined {
  const { path, resource, name } = view
  if (path === '/' && name === defaultRootName) return describeSite(view).ownTitle
  return isListView(view) ? words.list(resource!) : undefined
}

/** Whether the view is that of a resource's list. */
export const isListView = ({ resource, path }: View): boolean =>
  resource !== undefined && path.endsWith(`/${formatResourcePath(resource)}/`)

/** Whether the view is that of one object. The path of a singleton does not end with what names the object. */
export const isObjectView = ({ resource, path, id }: View): boolean =>
  resource !== undefined && id === `${resource.name}-detail` && /\/:[^/]+\/$/.test(path)

function formatObjectHeading(context: PageContext): string | undefined {
  const { view, words } = context
  if (!isObjectView(view)) return undefined
  const segment = pagePath(context).split('/').filter(Boolean).at(-1) ?? ''
  return `${words.one(view.resource!)} ${decodeSegment(segment)}`
}

function nameView({ view, words }: PageContext): string {
  const label = view.pageActions.GET?.label
  return label === undefined ? view.name : words.text(label)
}

/** The text of a segment of a path. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The element that names the object of a page for the list of those that a browser has opened last; empty for other pages. */
export function formatOpened({ view, request, status, rejection, words }: PageContext, heading: string): string {
  const isObject = isObjectView(view) && status === 200 && request.method === 'GET' && rejection === undefined
  const kind = isObject ? words.one(view.resource!) : ''
  const text = heading.includes(kind) ? heading : `${heading} · ${kind}`
  return isObject ? html`<data data-opened value="${text}"></data>` : ''
}
