// The browsable API (SVC-7): a renderer that shows every URL of an API as an HTML page to clients that prefer HTML. A
// page shows the same response body as the JSON, with forms and buttons for the methods that this caller may call.

import { html } from 'ghtml'
import { readCookie } from '../authentication/cookies.ts'
import type { Csrf } from '../authentication/csrf.ts'
import { listAllowedForms } from '../describe-view.ts'
import { readObject } from '../envelope/read-data.ts'
import { NotFound, ValidationError } from '../errors/exceptions.ts'
import { logError } from '../errors/log-error.ts'
import { loggableError } from '../errors/loggable-error.ts'
import { STATUS_CODES } from '../http.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { Form } from '../metadata.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { isSafe } from '../permissions/permission.ts'
import type { RenderedBody, Renderer } from '../renderers/renderer.ts'
import { Document, type HeaderFields, joinLayers, type ResponseBody } from '../response.ts'
import { timeSlices } from '../time-slices.ts'
import { splitQuery } from '../urls/routing.ts'
import { endUrl } from '../urls/trailing-slash.ts'
import type { View } from '../view.ts'
import { listAllowedRequests } from './allowed-requests.ts'
import { browsableAssets, formatAssetUrls } from './assets.ts'
import { createBreadcrumbs, findShownName } from './breadcrumbs.ts'
import { curlAndFetchSection } from './curl-and-fetch.ts'
import { type FormContext, formSections } from './forms.ts'
import { createHtmlCache, type HtmlCache } from './html-cache.ts'
import { type Account, type BrowsablePage, layout, type PageFrame, type PageLink, pageHeaders } from './layout.ts'
import { listSection } from './list-section.ts'
import type { PageContext } from './page-context.ts'
import { pagePath, pageUrl } from './page-url.ts'
import { findPaginationLinks, paginationNav } from './pagination-links.ts'
import { queryForm } from './query-form.ts'
import { type ResponseData, readResponseData } from './response-data.ts'
import { responseSection } from './response-section.ts'
import { toolbar } from './toolbar.ts'

export interface BrowsableOptions {
  /** The name of the site; default `Resource API`. */
  readonly title?: string
  /** The URL of a logo, shown before the title: a path on this server, or a `data:` URL. */
  readonly logo?: string
  /** The URL that the title links to; default: the root of the API. */
  readonly home?: string
  /** Links in the header; default none. */
  readonly links?: readonly PageLink[]
  /** The paths of the login and logout views, from the root of the server; default: no link to log in or out. */
  readonly login?: { readonly loginPath: string; readonly logoutPath: string; readonly csrf: Csrf }
  /** Renders a page as an HTML document; replaces the default layout. */
  readonly layout?: (page: BrowsablePage) => string
  /** Functions that render the main content of a view's pages as HTML, by the view's id (`books-detail`). */
  readonly pages?: Readonly<Record<string, (content: PageContent) => MaybePromise<string>>>
}

/** The response that a page shows. */
export interface PageContent {
  readonly context: PageContext
  /** The response body as data; undefined if there is none. */
  readonly body: unknown
  /** Renders the default main content as HTML, with `beforeForms` (HTML) inserted before the forms. */
  renderDefault(beforeForms?: string): Promise<string>
}

/** Creates the renderer of pages, for `Accept: text/html` and `?format=api`. */
export function browsable(options: BrowsableOptions = {}): Renderer<View> {
  const site = { ...options, htmlCache: createHtmlCache() }
  return Object.freeze<Renderer<View>>({
    mediaType: 'text/html',
    format: 'api',
    contentType: 'text/html; charset=utf-8',
    headers: pageHeaders,
    assets: browsableAssets,
    canRender: body => !(body instanceof Document),
    render: (body, _parameters, context) => renderPage(body, context, site),
  })
}

/** The options of one renderer and its cache; several APIs may share a renderer. */
interface Site extends BrowsableOptions {
  readonly htmlCache: HtmlCache
}

async function renderPage(body: ResponseBody, context: PageContext, site: Site): Promise<RenderedBody> {
  const data = await readResponseData(body, site.htmlCache, context.view.digest)
  try {
    return await renderResponse(data, context, site)
  } catch (error) {
    // If an error page fails, because of the application's functions or the database, a simpler one is rendered.
    if (context.error === undefined) throw error
    logError('error', context.request, loggableError(error, context), 'rendering the error page failed')
    const { pages: _, layout: __, ...defaultSite } = site
    return renderResponse(data, { ...context, requestContext: undefined }, defaultSite)
  }
}

async function renderResponse(data: ResponseData, context: PageContext, site: Site): Promise<RenderedBody> {
  const { account, setCookie } = readLoginState(context, site)
  const renderDefault = (beforeForms = '') =>
    createMainHtml({ ...data, context, htmlCache: site.htmlCache, csrfToken: account?.token, beforeForms })
  // Parsing a long body took much of this turn of the event loop, so rendering waits for its own time slice.
  if (data.json === undefined) await timeSlices.run(() => undefined)
  const customPage = site.pages?.[context.view.id]
  const mainHtml = customPage ? await customPage({ context, body: data.copy(), renderDefault }) : await renderDefault()
  const breadcrumbs = createBreadcrumbs(context, data.body)
  const document = renderLayout(site, {
    title: formatTitle(context, data.body),
    breadcrumbs: isPromise(breadcrumbs) ? await breadcrumbs : breadcrumbs,
    account,
    mainHtml,
    ...formatAssetUrls(context.view.root),
  })
  return { body: document, headers: setCookie === undefined ? {} : { 'set-cookie': [setCookie] } }
}

/** Creates the function that renders pages without an API response, such as the login form, in the same layout. */
export const createPageFrame =
  (options: BrowsableOptions): PageFrame =>
  ({ view }, title, mainHtml) =>
    renderLayout(options, {
      title,
      breadcrumbs: [{ text: 'Api Root', href: endUrl(`${view.root}/`, view.urlEnd) }],
      account: undefined,
      mainHtml,
      ...formatAssetUrls(view.root),
    })

type PageParts = Omit<BrowsablePage, 'site' | 'logo' | 'home' | 'links'>

function renderLayout(options: BrowsableOptions, parts: PageParts): string {
  const { title = 'Resource API', logo, home, links = [], layout: render = layout } = options
  return render({ site: title, logo, home: home ?? parts.breadcrumbs[0]!.href, links, ...parts })
}

const formatHeading = (context: PageContext, body: unknown): string => findShownName(context, body) ?? context.view.name

function formatTitle(context: PageContext, body: unknown): string {
  const { view, status } = context
  if (status < 400) return formatHeading(context, body)
  const text = `${status} ${STATUS_CODES[status] ?? 'Error'}`
  return text.endsWith(view.name) ? text : `${text}: ${view.name}`
}

interface LoginState {
  readonly account: Account | undefined
  /** The `Set-Cookie` header of a new CSRF token; undefined if the caller has one already, or needs none. */
  readonly setCookie: string | undefined
}

// A view that does not authenticate by session cannot tell whether the caller has a session.
function readLoginState(context: PageContext, { login }: BrowsableOptions): LoginState {
  const { requestContext, view } = context
  const usesSessions = view.authentication.some(({ varyOn }) => varyOn.includes('cookie'))
  if (login === undefined || requestContext === undefined || !usesSessions)
    return { account: undefined, setCookie: undefined }
  const { user, request, baseUrl } = requestContext
  // A caller who is identified without a session cannot log out, and needs no CSRF token, because other sites cannot
  // send such credentials.
  const hasSession = user.isAuthenticated && readCookie(request, login.csrf.sessionCookie) !== undefined
  const issued = hasSession ? login.csrf.issue(request, baseUrl) : undefined
  const account = {
    username: user.isAuthenticated ? user.username : undefined,
    loginUrl: login.loginPath,
    logoutUrl: login.logoutPath,
    token: issued?.token,
    returnUrl: pageUrl(context),
  }
  return { account, setCookie: issued?.setCookie }
}

interface MainContent extends ResponseData {
  readonly context: PageContext
  readonly htmlCache: HtmlCache
  readonly csrfToken: string | undefined
  /** HTML that is inserted before the forms. */
  readonly beforeForms: string
}

async function createMainHtml(content: MainContent): Promise<string> {
  const { context, body, json, htmlCache, beforeForms } = content
  const { view, status, requestContext } = context
  const headers = joinLayers(context.headers)
  const allowedForms = requestContext && status < 500 ? await listAllowedForms(requestContext, view) : {}
  const isSelection = showsSelection(context, allowedForms)
  const forms = isSelection ? {} : allowedForms
  const links = findPaginationLinks(body, headers, view.envelope)
  const url = pageUrl(context)
  const createNav = () => (links ? paginationNav(links, url, view.listMetadata) : '')
  const navHtml = htmlCache.getOrCreate(json, `pages ${view.root}${view.path} ${url} ${headers.link}`, createNav)
  const list = await listSection(context, content, { links, htmlCache })
  const isInTable = list.tableHtml !== ''
  return html`<h1>${formatHeading(context, body)}</h1>
!${
    view.description === ''
      ? ''
      : html`<p class="description">${view.description}</p>
`
  }!${createdNotice(status, headers)}!${await toolbar(context, forms)}!${queryForm(context)}!${list.filterHtml}!${list.tableHtml}!${navHtml}!${responseSection(context, content, { headers, htmlCache, isInTable })}!${navHtml}!${beforeForms}!${isSelection ? selectionNotice(context) : precondition(content, forms)}!${formSections(forms, createFormContext(content))}!${createExamplesHtml(content, forms)}`
}

// A form with the values of a selection would remove the other ones.
const showsSelection = ({ request }: PageContext, forms: Readonly<Record<string, Form>>): boolean => {
  const [, query] = splitQuery(request.url)
  if (query === '') return false
  const parameters = new URLSearchParams(query)
  return Object.values(forms).some(form => form.selectionParameters?.some(name => parameters.has(name)))
}

const selectionNotice = (context: PageContext): string =>
  html`<p class="help">The query selects what is shown. <a href="${pagePath(context)}">Show the whole object to change it.</a></p>
`

// The script sends it with requests that change the object, so they fail if the object has changed after the page was made,
// or has been created.
function precondition({ context, etag }: MainContent, forms: Readonly<Record<string, Form>>): string {
  if (isMissing(context)) return forms.PUT === undefined ? '' : '<data data-if-none-match value="*"></data>\n'
  const isNeeded = Object.values(forms).some(({ requiresIfMatch }) => requiresIfMatch)
  if (!isNeeded || context.error !== undefined) return ''
  return html`<data data-if-match value="${etag()}"></data>
`
}

// Whether the object of the page does not exist. The page has a form if a PUT creates the object.
const isMissing = ({ error }: PageContext): boolean => error instanceof NotFound

// Without JavaScript, the browser shows the response to POST instead of the created object.
function createdNotice(status: number, { location }: HeaderFields): string {
  if (status !== 201 || typeof location !== 'string' || !/^(?:https?:\/\/|\/(?![/\\]))/.test(location)) return ''
  return html`<p class="notice" role="status">Created: <a href="${location}">${location}</a></p>
`
}

function createFormContext({ context, body, etag, csrfToken }: MainContent): FormContext {
  const { request, requestBody, view, error } = context
  const isRejected = error instanceof ValidationError && requestBody !== undefined
  return {
    pageUrl: pageUrl(context),
    csrfToken,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    object: error === undefined ? readObject(body, view.envelope) : {},
    isMissing: isMissing(context),
    etag: error === undefined ? etag : undefined,
    rejected: isRejected
      ? { method: request.method, body: unwrapSubmitted(requestBody, view), errors: groupByField(error) }
      : undefined,
    objectName: view.envelope?.one,
    listUrl: view.findListUrl,
  }
}

const unwrapSubmitted = (body: RequestBody, { envelope }: View): RequestBody =>
  body.kind === 'data' ? { ...body, data: readObject(body.data, envelope) } : body

// Errors that belong to no field are listed under the empty name.
function groupByField({ detail }: ValidationError): Readonly<Record<string, unknown>> {
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

function createExamplesHtml(content: MainContent, forms: Readonly<Record<string, Form>>): string {
  const { context, json, htmlCache } = content
  const create = () => {
    const requests = listAllowedRequests(context, forms, createFormContext(content))
    return requests.length === 0 ? '' : curlAndFetchSection(requests)
  }
  if (context.error !== undefined || !isSafe(context.request.method)) return create()
  const { view, requestContext } = context
  const isAuthenticated = requestContext?.user.isAuthenticated
  const keyParts = [requestContext?.baseUrl, view.path, pageUrl(context), isAuthenticated, ...describeForms(forms)]
  return htmlCache.getOrCreate(json, `examples ${keyParts.join(' ')}`, create)
}

// Forms differ by caller in their methods, and in their fields.
const describeForms = (forms: Readonly<Record<string, Form>>): readonly string[] =>
  Object.entries(forms).map(([method, { fields }]) => `${method} ${Object.keys(fields)}`)
