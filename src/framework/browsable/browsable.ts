// The browsable interface (SVC-7): every URL of an API as a page, for clients that prefer HTML. A renderer like any other:
// it shows the answer that everybody gets, and around it only what this caller may do.

import { html } from 'ghtml'
import { readCookie } from '../authentication/cookies.ts'
import type { Csrf } from '../authentication/csrf.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { loggableError } from '../errors/loggable-error.ts'
import { STATUS_CODES } from '../http.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { allowedForms, type Form } from '../metadata.ts'
import { isSafe } from '../permissions/permission.ts'
import type { RenderContext, Renderer } from '../renderers/renderer.ts'
import { Document, type HeaderFields, joinLayers, type ResponseBody } from '../response.ts'
import { answerSection } from './answer-section.ts'
import { assetUrls, browsableAssets } from './assets.ts'
import { exampleRequests } from './example-requests.ts'
import { type FormsOf, formSections } from './forms.ts'
import { createKeptHtml, type KeptHtml } from './kept-html.ts'
import { listPage } from './list-page.ts'
import { type Account, type BrowsablePage, type Frame, layout, type PageLink, pageFields } from './page.ts'
import { type PageBody, pageBody } from './page-body.ts'
import { pagePath, pageUrl } from './page-url.ts'
import { pageControls, pageLinks } from './pages-of-list.ts'
import { examplesSection } from './request-examples.ts'
import { toolbar } from './toolbar.ts'

export interface BrowsableOptions {
  /** The name of the site; default `Resource API`. */
  readonly title?: string
  /** The URL of a picture before the title: a path on this server, or a `data:` URL. */
  readonly logo?: string
  /** Where the title leads; default: the root of the API. */
  readonly home?: string
  /** Links of the header. */
  readonly links?: readonly PageLink[]
  /** Where one logs in and out, as paths from the root of the server. */
  readonly login?: { readonly loginPath: string; readonly logoutPath: string; readonly csrf: Csrf }
  /** Makes the document of a page, instead of the packaged layout. */
  readonly layout?: (page: BrowsablePage) => string
  /** What stands in the middle of the pages of a view, by the view's name, instead of what is packaged. */
  readonly pages?: Readonly<Record<string, (shown: Shown) => MaybePromise<string>>>
}

/** What a page shows of an answer. */
export interface Shown {
  readonly exchange: RenderContext
  /** The body as data; undefined where there is none. */
  readonly body: unknown
  /** The packaged middle of the page, as HTML, with something more before its forms. */
  packaged(beforeForms?: string): Promise<string>
}

/** The renderer of pages; `?format=api` asks for it. */
export function browsable(options: BrowsableOptions = {}): Renderer {
  const site = { ...options, kept: createKeptHtml() }
  return Object.freeze<Renderer>({
    mediaType: 'text/html',
    format: 'api',
    contentType: 'text/html; charset=utf-8',
    headers: pageFields,
    assets: browsableAssets,
    canRender: body => !(body instanceof Document),
    render: (body, _parameters, exchange) => renderPage(body, exchange, site),
  })
}

/** The pages of one API, or of several that share the renderer. */
interface Site extends BrowsableOptions {
  readonly kept: KeptHtml
}

async function renderPage(content: ResponseBody, exchange: RenderContext, site: Site): Promise<string> {
  const body = await pageBody(content, site.kept)
  try {
    return await pageOf(body, exchange, site)
  } catch (error) {
    // The page of an error is shown even where the deployer's functions, or the database, are what fails.
    if (exchange.error === undefined) throw error
    exchange.request.log.error({ err: loggableError(error, exchange) }, 'the page of an error failed')
    const { pages: _, layout: __, ...rest } = site
    return pageOf(body, { ...exchange, notes: { ...exchange.notes, context: undefined } }, rest)
  }
}

async function pageOf(body: PageBody, exchange: RenderContext, site: Site): Promise<string> {
  const account = accountOf(exchange, site)
  const packaged = (beforeForms = '') =>
    mainHtml({ ...body, exchange, kept: site.kept, token: account?.token, beforeForms })
  const own = site.pages?.[exchange.view.name]
  const main = own ? await own({ exchange, body: JSON.parse(body.json), packaged }) : await packaged()
  return documentOf(site, {
    title: titleOf(exchange, body.body),
    breadcrumbs: breadcrumbsOf(exchange),
    account,
    mainHtml: main,
    ...assetUrls(exchange.view.root),
  })
}

/** Documents of pages that are not an answer's, in the same layout. */
export const frameOf =
  (options: BrowsableOptions): Frame =>
  ({ view }, title, mainHtml) =>
    documentOf(options, {
      title,
      breadcrumbs: [{ text: 'Api Root', href: `${view.root}/` }],
      account: undefined,
      mainHtml,
      ...assetUrls(view.root),
    })

type PageParts = Omit<BrowsablePage, 'site' | 'logo' | 'home' | 'links'>

function documentOf(
  { title = 'Resource API', logo, home, links = [], layout: own = layout }: BrowsableOptions,
  parts: PageParts,
) {
  return own({ site: title, logo, home: home ?? parts.breadcrumbs[0]!.href, links, ...parts })
}

// An object that has a name for people is called by it.
function headingOf({ view, status }: RenderContext, body: unknown): string {
  const name = view.objectName === undefined || status >= 300 ? undefined : Object(body)[view.objectName]
  return typeof name === 'string' && name.trim() !== '' ? name : view.name
}

function titleOf(exchange: RenderContext, body: unknown): string {
  const { view, status } = exchange
  if (status < 400) return headingOf(exchange, body)
  const text = `${status} ${STATUS_CODES[status] ?? 'Error'}`
  return text.endsWith(view.name) ? text : `${text}: ${view.name}`
}

// Of views that look at no session, nobody can say whether there is one.
function accountOf(exchange: RenderContext, { login }: BrowsableOptions): Account | undefined {
  const { notes, view } = exchange
  const { context } = notes
  const hasSessions = view.authentication.some(({ varyOn }) => varyOn.includes('cookie'))
  if (login === undefined || context === undefined || !hasSessions) return undefined
  const { user, request } = context
  // Whoever is known by no session has none to end, and sends credentials that no other site can.
  const hasSession = user.isAuthenticated && readCookie(request, login.csrf.sessionCookie) !== undefined
  return {
    username: user.isAuthenticated ? user.username : undefined,
    loginUrl: login.loginPath,
    logoutUrl: login.logoutPath,
    token: hasSession ? login.csrf.issue(context) : undefined,
    here: pageUrl(exchange),
  }
}

interface Main extends PageBody {
  readonly exchange: RenderContext
  readonly kept: KeptHtml
  readonly token: string | undefined
  readonly beforeForms: string
}

async function mainHtml(main: Main): Promise<string> {
  const { exchange, body, kept, beforeForms } = main
  const { view, status, notes } = exchange
  const headers = joinLayers(exchange.headers)
  const forms = notes.context && status < 500 ? await allowedForms(notes.context) : {}
  const links = pageLinks(body, headers)
  const pages = links ? pageControls(links) : ''
  const list = await listPage(exchange, main, { links, kept })
  return html`<h1>${headingOf(exchange, body)}</h1>
!${
    view.description === ''
      ? ''
      : html`<p class="description">${view.description}</p>
`
  }!${createdHtml(status, headers)}!${await toolbar(exchange, forms)}!${list.controlsHtml}!${list.tableHtml}!${pages}!${answerSection(exchange, main, { headers, kept, isInTable: list.tableHtml !== '' })}!${pages}!${beforeForms}!${formSections(forms, formsOf(main))}!${examplesOf(main, forms)}`
}

// A browser without scripts stays where the form is.
function createdHtml(status: number, { location }: HeaderFields): string {
  if (status !== 201 || typeof location !== 'string' || !/^(?:https?:\/\/|\/(?![/\\]))/.test(location)) return ''
  return html`<p class="notice" role="status">Created: <a href="${location}">${location}</a></p>
`
}

function formsOf({ exchange, body, token }: Main): FormsOf {
  const { request, notes, view, error } = exchange
  const { input } = notes
  const isRefused = error instanceof ValidationError && input !== undefined
  return {
    here: pageUrl(exchange),
    token,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    object: error === undefined ? Object(body) : {},
    refused: isRefused ? { method: request.method, input, errors: errorsOf(error) } : undefined,
    listUrl: resource => `${view.root}/${resource}/`,
  }
}

// Errors that belong to no field stand under the empty name.
function errorsOf({ detail }: ValidationError): Readonly<Record<string, unknown>> {
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

function examplesOf(main: Main, forms: Readonly<Record<string, Form>>): string {
  const { exchange, json, kept } = main
  const make = () => {
    const requests = exampleRequests(exchange, forms, formsOf(main))
    return requests.length === 0 ? '' : examplesSection(requests)
  }
  if (exchange.error !== undefined || !isSafe(exchange.request.method)) return make()
  const { view, notes } = exchange
  const isKnown = notes.context?.user.isAuthenticated
  const shown = [notes.context?.baseUrl, view.path, pageUrl(exchange), isKnown, Object.keys(forms)]
  return kept.of(json, `examples ${shown.join(' ')}`, make)
}

/** From the root of the API to this page: each part of the path has a page of its own. */
function breadcrumbsOf(exchange: RenderContext): readonly PageLink[] {
  const { root } = exchange.view
  const parts = pagePath(exchange).slice(root.length).split('/').filter(Boolean)
  return [
    { text: 'Api Root', href: `${root}/` },
    ...parts.map((part, index) => ({ text: decoded(part), href: `${root}/${parts.slice(0, index + 1).join('/')}/` })),
  ]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
