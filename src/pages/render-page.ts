// Renders the page of a response: the frame, and in it an error message, found objects, the application's content or the
// default content.

import {
  joinLayers,
  listAllowedForms,
  logError,
  loggableError,
  type MaybePromise,
  NotFound,
  narrowListMetadata,
  type RenderContext,
  type RenderedBody,
  type RequestContext,
  type ResponseBody,
  timeSlices,
  type View,
} from '#core'
import { asksForQuery } from './forms/query-form.ts'
import { createBreadcrumbs } from './frame/breadcrumbs.ts'
import { createErrorMessage, needsLogin } from './frame/error-message.ts'
import { readLoginState } from './frame/login-state.ts'
import { findRail, type Rail } from './frame/rail.ts'
import { type FrameParts, findFindUrl, findHome, renderFrame } from './frame/render-frame.ts'
import { readUnsentForm } from './gateway/kept-form.ts'
import { UnsentForm } from './gateway/page-form.ts'
import { createWords, describeLanguage, type Words } from './html/words.ts'
import { findCleanUrl } from './list/active-filters.ts'
import {
  asksForSuggestions,
  findPage,
  listSuggestions,
  openedTemplate,
  readFindText,
  suggestionOptions,
} from './list/find-page.ts'
import { findLastPage } from './list/last-page.ts'
import { createPageParts } from './main-content.ts'
import { readNotice } from './notice.ts'
import { redirectToCreated, redirectToObject } from './object/action-result.ts'
import type { BrowsableOptions } from './page/browsable-options.ts'
import { findFrameContext } from './page/frame-caller.ts'
import type { PageContext } from './page/page-context.ts'
import { formatHeading, formatOpened, isObjectView } from './page/page-title.ts'
import { pageUrl } from './page/page-url.ts'
import { readResponseData } from './page/response-data.ts'
import { describeSite } from './page/site-roots.ts'
import type { ContentSource } from './prepared-page.ts'
import { findRecentObjects } from './recent-objects.ts'
import { findRejectedPage, noData, type ShownResponse } from './rejected-page.ts'
import { renderFoundOptions } from './search-options.ts'

export async function renderPage(
  body: ResponseBody,
  rendered: RenderContext<View>,
  site: BrowsableOptions,
): Promise<RenderedBody> {
  const { request } = rendered
  const cleanUrl = findCleanListUrl(rendered)
  if (cleanUrl !== undefined) return { status: 303, body: '', headers: { location: cleanUrl } }
  const foundOptions = await renderFoundOptions(rendered)
  if (foundOptions !== undefined) return { body: foundOptions, headers: {} }
  const lastPage = await findLastPage(rendered)
  if (lastPage !== undefined) return { status: 303, body: '', headers: { location: lastPage } }
  const redirect = request.method === 'POST' ? await redirectToObject(body, rendered) : undefined
  if (redirect !== undefined) return redirect
  const data = await readResponseData(body)
  const words = createWords(rendered.view, rendered.request)
  const frameContext = await findFrameContext(rendered)
  // A form that only searches is no error.
  const status = rendered.error instanceof UnsentForm ? 200 : rendered.status
  const context = { ...rendered, status, words, frameContext }
  if (asksForQuery(context)) {
    const page = await renderResponse({ data: noData, context: { ...context, status: 200, error: undefined } }, site)
    return { ...page, status: 200 }
  }
  const created = request.method === 'POST' ? await redirectToCreated(data.body, context) : undefined
  if (created !== undefined) return created
  try {
    return await renderResponse(await findRejectedPage({ data, context }), site)
  } catch (error) {
    // If an error page fails, because of the application's functions or the database, a simpler one is rendered.
    if (context.error === undefined) throw error
    logError('error', context.request, loggableError(error, context), 'rendering the error page failed')
    const { pages: _, layout: __, ...defaultSite } = site
    const anonymous = { ...context, requestContext: undefined, frameContext: undefined }
    return renderResponse({ data, context: anonymous }, defaultSite)
  }
}

// A form without JavaScript sends its empty inputs.
function findCleanListUrl({ view, request, requestContext }: RenderContext<View>): string | undefined {
  if (view.listMetadata === undefined || request.method !== 'GET') return undefined
  return findCleanUrl(pageUrl({ view, request }), narrowListMetadata(view.listMetadata, requestContext))
}

async function renderResponse({ data, context }: ShownResponse, site: BrowsableOptions): Promise<RenderedBody> {
  const { account, setCookie } = readLoginState(context, site.login)
  // Parsing a long body took much of this turn of the event loop, so rendering waits for its own time slice.
  if (data.isLong) await timeSlices.run(() => undefined)
  const rail = context.frameContext && (await findRail(context.frameContext, context.view))
  const home = findHome(context.view, site)
  const breadcrumbs = await createBreadcrumbs(context, data.body, home)
  const find = findFindUrl(context.view, home)
  const headers = joinLayers(context.headers)
  const unsent = account !== undefined && needsLogin(context) ? await readUnsentForm(context) : undefined
  const isCreatable = await createsMissing(context)
  const message = createErrorMessage({ context, headers, account, breadcrumbs, rail, find, unsent, isCreatable })
  const { maxDownloadRows } = site
  const content = { ...data, context, headers, csrfToken: account?.token, rail, message, maxDownloadRows }
  const findText = readFindText(context)
  if (findText !== undefined && context.frameContext && rail && asksForSuggestions(context))
    return { body: await suggest(findText, context.frameContext, rail, context.words), headers: {} }
  const parts =
    (findText === undefined ? undefined : await createFindParts(findText, context, rail)) ??
    (await createContentParts(content, site))
  const heading = parts.heading ?? message?.heading ?? formatHeading(context, data.body)
  // A page that creates an object is below its list, and the page of an action below its object.
  const isBelow = parts.heading !== undefined && breadcrumbs.length > 1
  const crumbs = isBelow ? [...breadcrumbs, { text: heading, href: pageUrl(context) }] : breadcrumbs
  const notice = await readNotice(context, data.body, content)
  const openedHtml = parts.heading === undefined && message === undefined ? formatOpened(context, heading) : ''
  const mainHtml = (notice?.html ?? '') + parts.mainHtml + openedHtml
  const frame = {
    ...{ heading, breadcrumbs: crumbs, rail },
    // The link to the login would lose the form that this page keeps.
    account: unsent === undefined ? account : undefined,
  }
  const framed = isCreatable ? { ...context, status: 200 } : context
  const body = await renderFrame(framed, { ...parts, mainHtml, ...frame }, site)
  const cookies = [setCookie, notice?.setCookie].filter(cookie => cookie !== undefined)
  return {
    body,
    headers: {
      ...describeLanguage(context.words, headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
  }
}

// Whether the object of the page does not exist, and the caller may create it by a PUT.
async function createsMissing({ view, error, request, requestContext }: PageContext): Promise<boolean> {
  const isMissing = error instanceof NotFound && request.method === 'GET' && view.objectMetadata !== undefined
  if (!isMissing || isObjectView(view) || requestContext === undefined) return false
  return (await listAllowedForms(requestContext, view)).PUT !== undefined
}

type Parts = Omit<FrameParts, 'heading'> & { readonly heading?: string | undefined }

// Without a text, the objects that the caller has changed last; the script adds those that the browser has opened.
async function suggest(text: string, context: RequestContext, rail: Rail, words: Words): Promise<string> {
  if (text !== '') return suggestionOptions(await listSuggestions(text, context, rail, words))
  const recent = await findRecentObjects(context, rail, words)
  return openedTemplate(words) + suggestionOptions(recent.map(link => ({ ...link, kind: words('page.recent') })))
}

async function createFindParts(text: string, context: PageContext, rail: Rail | undefined): Promise<Parts | undefined> {
  if (rail === undefined || context.frameContext === undefined) return undefined
  const { words, frameContext } = context
  const recent = text === '' ? await findRecentObjects(frameContext, rail, words) : []
  const mainHtml = await findPage(text, frameContext, rail, words, recent)
  return { heading: text === '' ? words('page.find') : words('page.found', { text }), findText: text, mainHtml }
}

// The middle that the view itself declares, unless the response is an error.
function renderViewPage({ context }: ContentSource): MaybePromise<string> | undefined {
  const { view, requestContext, words, status } = context
  if (view.page === undefined || requestContext === undefined || status !== 200) return undefined
  return view.page({ context: requestContext, language: words.language, text: words.text })
}

async function createContentParts(content: ContentSource, { pages }: BrowsableOptions): Promise<Parts> {
  const { context, message } = content
  const { renderMiddle, renderPanel, isWide = false, ...parts } = await createPageParts(content)
  const customPage = parts.heading === undefined ? pages?.[context.view.id] : undefined
  let hasMiddle = customPage === undefined
  const renderDefault = async (beforeForms = '') => {
    hasMiddle = true
    return renderMiddle(beforeForms)
  }
  const mainHtml = await (customPage
    ? customPage({ context, body: content.body, renderDefault })
    : (renderViewPage(content) ?? renderMiddle('')))
  const panelHtml = renderPanel(hasMiddle)
  // The description of a resource is about its list.
  const isOfList = !message && parts.heading === undefined && !isObjectView(context.view)
  const description = isOfList ? context.words.text(context.view.description) : ''
  const isPanelClosed = isWide || describeSite(context.view).isAdministration
  return { ...parts, description, mainHtml, panelHtml, isPanelClosed }
}
