// The browsable interface (SVC-7): every URL of an API as a page, for clients that prefer HTML. A renderer like any other:
// it shows the answer that everybody gets, and around it only what this caller may do.

import { html } from 'ghtml'
import { readCookie } from '../authentication/cookies.ts'
import type { Csrf } from '../authentication/csrf.ts'
import { allowedForms } from '../describe-view.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { loggableError } from '../errors/loggable-error.ts'
import { STATUS_CODES } from '../http.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Form } from '../metadata.ts'
import { isSafe } from '../permissions/permission.ts'
import type { RenderedBody, Renderer } from '../renderers/renderer.ts'
import { Document, type HeaderFields, joinLayers, type ResponseBody } from '../response.ts'
import { timeSlices } from '../time-slices.ts'
import type { View } from '../view.ts'
import { answerSection } from './answer-section.ts'
import { assetUrls, browsableAssets } from './assets.ts'
import { exampleRequests } from './example-requests.ts'
import { type FormsOf, formSections } from './forms.ts'
import { createKeptHtml, type KeptHtml } from './kept-html.ts'
import { listPage } from './list-page.ts'
import { type Account, type BrowsablePage, type Frame, layout, type PageLink, pageFields } from './page.ts'
import { type PageBody, pageBody } from './page-body.ts'
import type { PageContext } from './page-context.ts'
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
  /** What stands in the middle of the pages of a view, by the view's id (`books-detail`), instead of what is packaged. */
  readonly pages?: Readonly<Record<string, (shown: Shown) => MaybePromise<string>>>
}

/** What a page shows of an answer. */
export interface Shown {
  readonly context: PageContext
  /** The body as data; undefined where there is none. */
  readonly body: unknown
  /** The packaged middle of the page, as HTML, with something more before its forms. */
  packaged(beforeForms?: string): Promise<string>
}

/** The renderer of pages; `?format=api` asks for it. */
export function browsable(options: BrowsableOptions = {}): Renderer<View> {
  const site = { ...options, kept: createKeptHtml() }
  return Object.freeze<Renderer<View>>({
    mediaType: 'text/html',
    format: 'api',
    contentType: 'text/html; charset=utf-8',
    headers: pageFields,
    assets: browsableAssets,
    canRender: body => !(body instanceof Document),
    render: (body, _parameters, context) => renderPage(body, context, site),
  })
}

/** The pages of one API, or of several that share the renderer. */
interface Site extends BrowsableOptions {
  readonly kept: KeptHtml
}

async function renderPage(content: ResponseBody, context: PageContext, site: Site): Promise<RenderedBody> {
  const body = await pageBody(content, site.kept)
  try {
    return await pageOf(body, context, site)
  } catch (error) {
    // The page of an error is shown even where the deployer's functions, or the database, are what fails.
    if (context.error === undefined) throw error
    context.request.log.error({ err: loggableError(error, context) }, 'the page of an error failed')
    const { pages: _, layout: __, ...rest } = site
    return pageOf(body, { ...context, requestContext: undefined }, rest)
  }
}

async function pageOf(body: PageBody, context: PageContext, site: Site): Promise<RenderedBody> {
  const { account, setCookie } = accountOf(context, site)
  const packaged = (beforeForms = '') =>
    mainHtml({ ...body, context, kept: site.kept, token: account?.token, beforeForms })
  // A long body took much of this turn of the event loop.
  if (body.json === undefined) await timeSlices.run(() => undefined)
  const own = site.pages?.[context.view.id]
  const main = own ? await own({ context, body: body.copy(), packaged }) : await packaged()
  const document = documentOf(site, {
    title: titleOf(context, body.body),
    breadcrumbs: breadcrumbsOf(context),
    account,
    mainHtml: main,
    ...assetUrls(context.view.root),
  })
  return { body: document, headers: setCookie === undefined ? {} : { 'set-cookie': [setCookie] } }
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
function headingOf({ view, status }: PageContext, body: unknown): string {
  const name = view.objectName === undefined || status >= 300 ? undefined : Object(body)[view.objectName]
  return typeof name === 'string' && name.trim() !== '' ? name : view.name
}

function titleOf(context: PageContext, body: unknown): string {
  const { view, status } = context
  if (status < 400) return headingOf(context, body)
  const text = `${status} ${STATUS_CODES[status] ?? 'Error'}`
  return text.endsWith(view.name) ? text : `${text}: ${view.name}`
}

/** The account that a page shows, and the `Set-Cookie` value of its CSRF token where that is new. */
interface LoginState {
  readonly account: Account | undefined
  readonly setCookie: string | undefined
}

// Of views that look at no session, nobody can say whether there is one.
function accountOf(context: PageContext, { login }: BrowsableOptions): LoginState {
  const { requestContext, view } = context
  const hasSessions = view.authentication.some(({ varyOn }) => varyOn.includes('cookie'))
  if (login === undefined || requestContext === undefined || !hasSessions)
    return { account: undefined, setCookie: undefined }
  const { user, request, baseUrl } = requestContext
  // Whoever is known by no session has none to end, and sends credentials that no other site can.
  const hasSession = user.isAuthenticated && readCookie(request, login.csrf.sessionCookie) !== undefined
  const issued = hasSession ? login.csrf.issue(request, baseUrl) : undefined
  const account = {
    username: user.isAuthenticated ? user.username : undefined,
    loginUrl: login.loginPath,
    logoutUrl: login.logoutPath,
    token: issued?.token,
    here: pageUrl(context),
  }
  return { account, setCookie: issued?.setCookie }
}

interface Main extends PageBody {
  readonly context: PageContext
  readonly kept: KeptHtml
  readonly token: string | undefined
  readonly beforeForms: string
}

async function mainHtml(main: Main): Promise<string> {
  const { context, body, kept, beforeForms } = main
  const { view, status, requestContext } = context
  const headers = joinLayers(context.headers)
  const forms = requestContext && status < 500 ? await allowedForms(requestContext, view) : {}
  const links = pageLinks(body, headers)
  const pages = links ? pageControls(links) : ''
  const list = await listPage(context, main, { links, kept })
  return html`<h1>${headingOf(context, body)}</h1>
!${
    view.description === ''
      ? ''
      : html`<p class="description">${view.description}</p>
`
  }!${createdHtml(status, headers)}!${await toolbar(context, forms)}!${list.controlsHtml}!${list.tableHtml}!${pages}!${answerSection(context, main, { headers, kept, isInTable: list.tableHtml !== '' })}!${pages}!${beforeForms}!${formSections(forms, formsOf(main))}!${examplesOf(main, forms)}`
}

// A browser without scripts stays where the form is.
function createdHtml(status: number, { location }: HeaderFields): string {
  if (status !== 201 || typeof location !== 'string' || !/^(?:https?:\/\/|\/(?![/\\]))/.test(location)) return ''
  return html`<p class="notice" role="status">Created: <a href="${location}">${location}</a></p>
`
}

function formsOf({ context, body, token }: Main): FormsOf {
  const { request, requestBody, view, error } = context
  const isRefused = error instanceof ValidationError && requestBody !== undefined
  return {
    here: pageUrl(context),
    token,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    object: error === undefined ? Object(body) : {},
    refused: isRefused ? { method: request.method, body: requestBody, errors: errorsOf(error) } : undefined,
    listUrl: resource => `${view.root}/${resource}/`,
  }
}

// Errors that belong to no field stand under the empty name.
function errorsOf({ detail }: ValidationError): Readonly<Record<string, unknown>> {
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

function examplesOf(main: Main, forms: Readonly<Record<string, Form>>): string {
  const { context, json, kept } = main
  const make = () => {
    const requests = exampleRequests(context, forms, formsOf(main))
    return requests.length === 0 ? '' : examplesSection(requests)
  }
  if (context.error !== undefined || !isSafe(context.request.method)) return make()
  const { view, requestContext } = context
  const isKnown = requestContext?.user.isAuthenticated
  const shown = [requestContext?.baseUrl, view.path, pageUrl(context), isKnown, Object.keys(forms)]
  return kept.of(json, `examples ${shown.join(' ')}`, make)
}

/** From the root of the API to this page: each part of the path has a page of its own. */
function breadcrumbsOf(context: PageContext): readonly PageLink[] {
  const { root } = context.view
  const parts = pagePath(context).slice(root.length).split('/').filter(Boolean)
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
