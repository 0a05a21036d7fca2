// The content of a page from its response: the middle, for people, and the panel with the request, for programmers.

import { html } from 'ghtml'
import { bulkParameter, maxBulkObjects } from '../bulk-names.ts'
import { listAllowedForms } from '../describe-view.ts'
import { readItems, readObject } from '../envelope/read-data.ts'
import { NotFound, PreconditionFailed, ValidationError } from '../errors/exceptions.ts'
import type { Form } from '../metadata.ts'
import { UnsentForm } from '../page-form.ts'
import type { Total } from '../pagination/paginator.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { isSafe } from '../permissions/permission.ts'
import type { HeaderFields } from '../response.ts'
import type { View } from '../view.ts'
import { actionButtons, actionPage, readActionName } from './action-page.ts'
import { onceSection } from './action-result.ts'
import { type BulkAction, listBulkActions } from './bulk-actions.ts'
import { bulkPage, findBulkAction, formatBulkHeading } from './bulk-page.ts'
import { type Conflict, readConflict } from './conflict.ts'
import { consolePanel, createMethodSections, type MethodSections } from './console/console-panel.ts'
import { asksForDeletion, deletionPage } from './deletion-page.ts'
import { emptyList } from './empty-list.ts'
import type { ErrorMessage } from './error-message.ts'
import type { FormSource } from './form-values.ts'
import { type FormContext, formSections, listPickerRequests } from './forms.ts'
import { historyPage, historySection, isHistoryView } from './history-section.ts'
import type { HtmlCache } from './html-cache.ts'
import { findListPath, type ListSection, listObjects, listSection } from './list-section.ts'
import { canCreate, findNewHeading, newLink } from './new-page.ts'
import { factsSection, objectSection } from './object-section.ts'
import { leaveOutAsked, listOfferedActions, type OfferedAction } from './offered-actions.ts'
import { pageActions } from './page-actions.ts'
import type { PageContext } from './page-context.ts'
import { formatHeading, isListView } from './page-title.ts'
import { pagePath, pageQuery, pageUrl } from './page-url.ts'
import { findPaginationLinks, paginationNav } from './pagination-links.ts'
import { findPickers, type Pickers } from './pickers.ts'
import { queryForm } from './query-form.ts'
import type { Rail } from './rail.ts'
import { relatedSections } from './related-section.ts'
import type { ResponseData } from './response-data.ts'
import { responseSection } from './response-section.ts'
import { resourceCards } from './root-page.ts'
import { findObjectPath, nameObject } from './table.ts'

export interface ContentSource extends ResponseData {
  readonly context: PageContext
  readonly htmlCache: HtmlCache
  /** The header fields of the response. */
  readonly headers: HeaderFields
  readonly csrfToken: string | undefined
  readonly rail: Rail | undefined
  /** Undefined if the page shows what the caller asked for. */
  readonly message: ErrorMessage | undefined
}

/** The parts of a page that show its response. */
export interface PageParts {
  /** The heading of a page that creates or deletes an object, which replaces what the application renders; undefined for others. */
  readonly heading: string | undefined
  readonly tagsHtml: string
  readonly actionsHtml: string
  /** Renders the middle, with `beforeForms` (HTML) inserted before the forms. */
  readonly renderMiddle: (beforeForms: string) => string
  /** Renders the panel, with the response unless the middle shows it. `hasMiddle`: whether the middle is the one above. */
  readonly renderPanel: (hasMiddle: boolean) => string
}

interface Prepared extends ContentSource {
  readonly forms: Readonly<Record<string, Form>>
  /** Whether the query selects what is shown, so that the forms are left out. */
  readonly isSelection: boolean
  readonly list: ListSection
  /** The heading of a page that creates or deletes an object; it replaces what the application renders. Undefined for other pages. */
  readonly newHeading: string | undefined
  readonly navHtml: string
  /** The number of objects, if the response is a page of a list that counts them. */
  readonly total: Total | undefined
  /** The HTML of the resources, if the page is the root of an API. */
  readonly rootHtml: string
  readonly conflict: Conflict | undefined
  /** The labels and values of an object that the caller cannot change; empty for other pages. */
  readonly objectHtml: string
  /** The labels and values that the form of the page's object does not have. */
  readonly factsHtml: string
  /** The objects that refer to the page's object. */
  readonly relatedHtml: string
  readonly historyHtml: string
  /** The options of the forms' relations. */
  readonly pickers: Pickers
  /** The values that only this page shows; empty if there are none. */
  readonly onceHtml: string
}

/** Creates the parts. */
export async function createPageParts(content: ContentSource): Promise<PageParts> {
  const prepared = await prepare(content)
  if (asksForDeletion(content.context, prepared.forms)) return createDeletionParts(prepared)
  const bulkAction = await findBulk(prepared)
  if (bulkAction !== undefined) return await createBulkParts(prepared, bulkAction)
  const action = await findAction(prepared)
  if (action !== undefined) return createActionParts(prepared, action)
  const isInMiddle = showsResponseInMiddle(prepared)
  return {
    tagsHtml:
      prepared.total?.isExact && prepared.newHeading === undefined
        ? html`<span class="tag">${prepared.total.count}</span>`
        : '',
    actionsHtml: content.message || prepared.onceHtml !== '' ? '' : await createActions(prepared),
    heading: prepared.newHeading,
    renderMiddle: beforeForms => createMiddle(prepared, isInMiddle, beforeForms),
    renderPanel: hasMiddle => (hasPanel(prepared) ? createPanel(prepared, isInMiddle && hasMiddle) : ''),
  }
}

async function createActions(prepared: Prepared): Promise<string> {
  const { context, forms, list, newHeading } = prepared
  if (newHeading !== undefined) return ''
  const actions = await pageActions(context, forms, await createButtons(prepared))
  // The notice of an empty list has the link.
  return list.emptyQuery === undefined && canCreate(context, forms) ? html`!${actions}!${newLink(context)}` : actions
}

async function createButtons(prepared: Prepared): Promise<string> {
  const { context, forms, body, csrfToken } = prepared
  if (context.status !== 200 || context.request.method !== 'GET') return ''
  const offered = await listOfferedActions(context, forms, body)
  return actionButtons(offered, context, { csrfToken, match: findRequiredMatch(prepared) })
}

async function findAction({ context, forms, body }: Prepared): Promise<OfferedAction | undefined> {
  const name = readActionName(context)
  if (name === undefined) return undefined
  const object = context.error === undefined ? body : undefined
  const offered = await listOfferedActions(context, forms, object)
  return offered.find(action => action.name === name)
}

function createActionParts(prepared: Prepared, action: OfferedAction): PageParts {
  const { context, body } = prepared
  const { label, method, form } = action
  const formContext = { ...createFormContext(prepared), match: findRequiredMatch(prepared) }
  return {
    heading: `${label}: ${formatHeading(context, body)}`,
    tagsHtml: '',
    actionsHtml: '',
    renderMiddle: () => actionPage(action, context, formContext),
    renderPanel: () =>
      createPanel({ ...prepared, context: createContextOf(action, context), forms: { [method]: form } }, false),
  }
}

// The examples send the request of the action.
function createContextOf({ path }: OfferedAction, context: PageContext): PageContext {
  const { prefix, root } = context.view
  const url = prefix + path.slice(root.length)
  return { ...context, request: Object.create(context.request, { url: { value: url } }) }
}

// An action takes effect in any state of the object, unless its resource asks for the expected one.
const findRequiredMatch = ({ forms, context, etag }: Prepared): string | undefined =>
  forms.PATCH?.requiresIfMatch && context.error === undefined ? etag() : undefined

async function findBulk({ context }: Prepared): Promise<BulkAction | undefined> {
  const { view, requestContext, words } = context
  if (view.listMetadata === undefined || !context.request.url.includes(bulkParameter)) return undefined
  return findBulkAction(context, await listBulkActions(view, requestContext, words))
}

async function createBulkParts(prepared: Prepared, action: BulkAction): Promise<PageParts> {
  const { context, body, total } = prepared
  const listMetadata = context.view.listMetadata!
  const list = { listMetadata, listPath: findListPath(context, listMetadata), urlEnd: context.view.urlEnd }
  const names = new Map(
    listObjects(body, context.view).flatMap(object => {
      const path = findObjectPath(object, list)
      return path === undefined ? [] : [[path, nameObject(object, listMetadata)] as const]
    }),
  )
  const count = total?.isExact && total.count <= maxBulkObjects ? total.count : undefined
  const requests = Object.values(action.asked).map(field => ({ field, values: [], maxListed: maxBulkOptions }))
  const formContext = { ...createFormContext(prepared), pickers: await findPickers(requests, context) }
  const mainHtml = bulkPage(action, { names, total: count }, context, formContext)
  return {
    heading: formatBulkHeading(action, context),
    tagsHtml: '',
    actionsHtml: '',
    renderMiddle: () => mainHtml,
    renderPanel: () => '',
  }
}

// The page has no search for browsers without the script.
const maxBulkOptions = 1000

async function createDeletionParts(prepared: Prepared): Promise<PageParts> {
  const { context, body, csrfToken, forms } = prepared
  const match = forms.DELETE!.requiresIfMatch ? prepared.etag() : undefined
  const mainHtml = await deletionPage(context, { csrfToken, match })
  return {
    heading: context.words('page.delete_what', { name: formatHeading(context, body) }),
    tagsHtml: '',
    actionsHtml: '',
    renderMiddle: () => mainHtml,
    renderPanel: () => createPanel({ ...prepared, forms: { DELETE: forms.DELETE! } }, false),
  }
}

async function prepare(content: ContentSource): Promise<Prepared> {
  const { context, body, json, headers, htmlCache } = content
  const { view, status, requestContext } = context
  const allowedForms = requestContext && status < 500 ? await listAllowedForms(requestContext, view) : {}
  const isSelection = showsSelection(context, allowedForms)
  const forms = isSelection ? {} : allowedForms
  const links = findPaginationLinks(body, headers, view.envelope)
  const url = pageUrl(context)
  const itemCount = readItems(body, view.envelope)?.length ?? 0
  const shown = { url, list: view.listMetadata, itemCount, words: context.words }
  const conflict = context.error instanceof PreconditionFailed ? await readConflict(context, htmlCache) : undefined
  const list = await listSection(context, content, { links, htmlCache })
  const rootHtml = createRoot(content)
  const newHeading = findNewHeading(context, forms)
  const pickedForms = newHeading === undefined ? listMiddleForms({ context, forms }) : forms
  const createNav = () => (links ? paginationNav(links, shown) : '')
  return {
    ...content,
    forms,
    isSelection,
    newHeading,
    list,
    navHtml: htmlCache.getOrCreate(
      json,
      `pages ${view.root}${view.path} ${url} ${headers.link} ${context.words.language}`,
      createNav,
    ),
    total: links?.total,
    rootHtml,
    objectHtml: showsObject(content, forms, rootHtml)
      ? historyPage(context, body) || (await objectSection(context, body))
      : '',
    factsHtml: showsFacts(content, forms) ? await factsSection(context, body, forms.PATCH!.fields) : '',
    relatedHtml: await relatedSections(context, body, content),
    historyHtml: await historySection(context),
    onceHtml: context.request.method === 'POST' ? await onceSection(context, headers, body) : '',
    conflict,
    pickers: await findPickers(listPickerRequests(pickedForms, createFormSource({ ...content, conflict })), context),
  }
}

// The resources of an API, if its root lists URLs. Any other root shows its JSON.
function createRoot({ context, body, rail }: ContentSource): string {
  const { view, status, request, words } = context
  if (view.path !== '/' || status !== 200 || request.method !== 'GET' || !isUrls(body)) return ''
  // Other APIs at the same prefix have the same root.
  const isShared = ({ prefix }: { readonly prefix: string }) => prefix === view.prefix
  const own = rail?.sections.filter(({ api }) => isShared(api)) ?? []
  const hasResources = view.listApis().some(api => isShared(api) && api.resources.length > 0)
  return hasResources ? resourceCards(own, words) : ''
}

const isUrls = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.values(body).every(url => /^https?:/.test(String(url)))

function showsObject({ context, message }: ContentSource, forms: Prepared['forms'], rootHtml: string): boolean {
  const { view, status, request } = context
  const isShown = message === undefined && request.method === 'GET' && status === 200
  const isOther = view.listMetadata !== undefined || rootHtml !== ''
  return isShown && !isOther && forms.PUT === undefined && forms.PATCH === undefined
}

const showsFacts = ({ context: { status, request } }: ContentSource, { PATCH }: Prepared['forms']): boolean =>
  PATCH !== undefined && status === 200 && request.method === 'GET'

// People see the response itself if nothing else shows it.
function showsResponseInMiddle({ context, list, objectHtml, forms, message, rootHtml, onceHtml }: Prepared): boolean {
  const { request } = context
  if (onceHtml !== '') return false
  if (message !== undefined || !isSafe(request.method) || request.method === 'OPTIONS') return true
  const hasForm = forms.PUT !== undefined || forms.PATCH !== undefined
  const hasContent = list.tableHtml + rootHtml + objectHtml !== '' || list.emptyQuery !== undefined
  return !hasContent && !hasForm
}

// A page on which nothing can be done has no panel.
const hasPanel = ({ context, message, forms }: Prepared): boolean =>
  message === undefined || (context.status < 500 && Object.keys(forms).length > 0)

function createMiddle(content: Prepared, isInMiddle: boolean, beforeForms: string): string {
  const { context, headers, forms, list, navHtml, rootHtml, objectHtml, isSelection, message } = content
  if (content.newHeading !== undefined)
    return html`!${beforeForms}!${formSections({ POST: forms.POST! }, createFormContext(content))}`
  if (content.onceHtml !== '') return html`!${content.onceHtml}!${beforeForms}`
  const response =
    isInMiddle && !(context.error instanceof UnsentForm) ? responseSection(context, content, content) : ''
  return html`!${message?.html ?? ''}!${createdNotice(context.status, headers)}!${isHistoryView(context.view) ? '' : queryForm(context)}!${list.filterHtml}!${rootHtml}!${objectHtml}!${list.tableHtml}!${emptyNotice(content)}!${navHtml}!${message ? '' : response}!${beforeForms}!${isSelection ? selectionNotice(context) : precondition(content)}!${formSections(leaveOutAsked(listMiddleForms(content), context.view), createFormContext(content))}!${content.factsHtml}!${content.relatedHtml}!${content.historyHtml}!${message ? response : ''}`
}

const emptyNotice = ({ context, list, forms }: Prepared): string =>
  list.emptyQuery === undefined
    ? ''
    : emptyList(list.emptyQuery, context, canCreate(context, forms) ? newLink(context) : '')

// Objects of a list are created on a page of its own, unless the caller may not open the list.
function listMiddleForms({ context, forms }: Pick<Prepared, 'context' | 'forms'>): Prepared['forms'] {
  const { POST: _, ...others } = forms
  const isShown = isSafe(context.request.method) && context.status !== 403
  return context.view.listMetadata !== undefined && isShown ? others : forms
}

function createPanel(content: Prepared, isInMiddle: boolean): string {
  const { context } = content
  const response = isInMiddle ? '' : responseSection(context, content, content)
  return consolePanel(context, createSections(content), response)
}

// The requests of a page without an error are the same for callers who may call the same methods.
function createSections(content: Prepared): MethodSections {
  const { context, json, htmlCache, forms } = content
  const create = () => createMethodSections(context, forms, createFormContext(content))
  if (context.error !== undefined || !isSafe(context.request.method)) return create()
  const { view, requestContext, words } = context
  const isAuthenticated = requestContext?.user.isAuthenticated
  const caller = [requestContext?.baseUrl, isAuthenticated, words.language, ...describeForms(forms)].join(' ')
  return htmlCache.getOrCreate(json, `requests ${view.path} ${pageUrl(context)} ${caller}`, create)
}

// A form with the values of a selection would remove the other ones.
function showsSelection(context: PageContext, forms: Readonly<Record<string, Form>>): boolean {
  const parameters = Object.values(forms).flatMap(form => form.selectionParameters ?? [])
  if (parameters.length === 0) return false
  const query = pageQuery(context)
  return parameters.some(name => query.has(name))
}

const selectionNotice = (context: PageContext): string =>
  html`<p class="help">The query selects what is shown. <a href="${pagePath(context)}">Show the whole object to change it.</a></p>
`

// The script sends it with requests that change the object, so they fail if the object has changed after the page was made,
// or has been created.
function precondition(content: Prepared): string {
  if (isMissing(content.context))
    return content.forms.PUT === undefined ? '' : '<data data-if-none-match value="*"></data>\n'
  const match = findMatch(content)
  return match === undefined
    ? ''
    : html`<data data-if-match value="${match}"></data>
`
}

// The state that a change of the page's object applies to; undefined if the page has no form for a change.
function findMatch({ context, etag, forms, conflict }: Prepared): string | undefined {
  const { error, request } = context
  if (conflict !== undefined) return conflict.etag()
  const changesObject = ['PUT', 'PATCH'].some(method => forms[method]?.selectionParameters !== undefined)
  if (!changesObject) return undefined
  return error === undefined && isSafe(request.method) ? etag() : request.headers['if-match']
}

// Whether the object of the page does not exist. The page has a form if a PUT creates the object.
const isMissing = ({ error }: PageContext): boolean => error instanceof NotFound

// Without JavaScript, the browser shows the response to POST instead of the created object.
function createdNotice(status: number, { location }: HeaderFields): string {
  if (status !== 201 || typeof location !== 'string' || !/^(?:https?:\/\/|\/(?![/\\]))/.test(location)) return ''
  return html`<p class="notice" role="status">Created: <a href="${location}">${location}</a></p>
`
}

function createFormContext(content: Prepared): FormContext {
  const { context, etag, csrfToken } = content
  const { view, error, words } = context
  return {
    ...createFormSource(content),
    pageUrl: pageUrl(context),
    csrfToken,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    etag: error === undefined ? etag : undefined,
    match: findMatch(content),
    words,
    createsObject: isListView(view),
    objectName: view.envelope?.one,
    pickers: content.pickers,
  }
}

function createFormSource({ context, body, conflict }: Pick<Prepared, 'context' | 'body' | 'conflict'>): FormSource {
  const { request, requestBody, view, error, words } = context
  const errors = error instanceof ValidationError ? groupByField(error) : conflict && { '': words('page.conflict') }
  return {
    object: error === undefined ? readObject(body, view.envelope) : {},
    isMissing: isMissing(context),
    rejected:
      errors !== undefined && requestBody !== undefined
        ? {
            method: request.method,
            body: unwrapSubmitted(requestBody, view),
            errors,
            ...(conflict && { current: readObject(conflict.body, view.envelope) }),
          }
        : undefined,
  }
}

const unwrapSubmitted = (body: RequestBody, { envelope }: View): RequestBody =>
  body.kind === 'data' ? { ...body, data: readObject(body.data, envelope) } : body

// Errors that belong to no field are listed under the empty name.
function groupByField({ detail }: ValidationError): Readonly<Record<string, unknown>> {
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

// Forms differ by caller in their methods, and in their fields.
const describeForms = (forms: Readonly<Record<string, Form>>): readonly string[] =>
  Object.entries(forms).map(([method, { fields }]) => `${method} ${Object.keys(fields)}`)
