// The content of a page from its response: the middle, for people, and the panel with the request, for programmers.

import { html } from 'ghtml'
import { type HeaderFields, isSafe } from '#core'
import { listBulkActions } from './bulk/bulk-actions.ts'
import { bulkChoicePage, findBulkForm, formatBulkHeading } from './bulk/bulk-page.ts'
import { bulkConfirmation } from './bulk-confirmation.ts'
import { asksForComparison, compareActions, comparison, formatCompareHeading } from './comparison.ts'
import { consolePanel } from './console/console-panel.ts'
import { downloadLinks } from './download/download-links.ts'
import { leaveOutAsked } from './forms/action-fields.ts'
import { createFormContext, createFormSource, precondition } from './forms/form-context.ts'
import { formSections } from './forms/forms.ts'
import { canCreate, newLink } from './forms/new-page.ts'
import { findFormPickers } from './forms/picker-requests.ts'
import { queryForm } from './forms/query-form.ts'
import { refusalNotice } from './frame/error-message.ts'
import { bulkParameter, importPageParameter, keepField } from './gateway/bulk-names.ts'
import { actionParameter, formatViewAction, UnsentForm } from './gateway/page-form.ts'
import { formatImportHeading, importLink, isImportable, uploadPage } from './imports/import-pages.ts'
import { emptyList } from './list/empty-list.ts'
import { viewsMenu } from './list/views-menu.ts'
import { findActionLabel } from './notice.ts'
import { actionButton, actionPage, readActionName } from './object/action-page.ts'
import { asksForDeletion, deletionPage } from './object/deletion-page.ts'
import { isHistoryView } from './object/history-section.ts'
import { listOfferedActions, type OfferedAction } from './object/offered-actions.ts'
import { type ActionButton, pageActions } from './object/page-actions.ts'
import type { PageContext } from './page/page-context.ts'
import { formatHeading } from './page/page-title.ts'
import { pagePath, pageQuery } from './page/page-url.ts'
import { type ContentSource, listMiddleForms, type PreparedPage, preparePage } from './prepared-page.ts'
import { responseSection } from './response-section.ts'
import { lacksAction } from './run-bulk-form.ts'
import { switchTags } from './switch-tags.ts'
import { findUndone, undoPage } from './undo/undo-page.ts'

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
  /** Whether the table of a list needs the room of the panel. */
  readonly isWide?: boolean | undefined
}

/** Creates the parts. */
export async function createPageParts(content: ContentSource): Promise<PageParts> {
  const prepared = await preparePage(content)
  if (asksForDeletion(content.context, prepared.forms)) return createDeletionParts(prepared)
  if (asksForImport(prepared)) return createImportParts(prepared)
  if (asksForComparison(content.context)) return createComparisonParts(prepared)
  const bulkForm = findOpenedBulkForm(prepared)
  const bulkParts = bulkForm && (await createBulkParts(prepared, bulkForm))
  if (bulkParts !== undefined) return bulkParts
  const actionName = readActionName(prepared.context)
  const action = actionName === undefined ? undefined : await findAction(actionName, prepared)
  if (action !== undefined) return await createActionParts(prepared, action)
  const undone = prepared.forms.PATCH && (await findUndone(prepared.context))
  if (undone !== undefined) return createUndoParts(prepared, undone)
  const isInMiddle = showsResponseInMiddle(prepared)
  return {
    tagsHtml:
      prepared.total?.isExact && prepared.newHeading === undefined
        ? html`<span class="tag">${prepared.total.count}</span>`
        : switchTags(prepared),
    actionsHtml: await createActions(prepared),
    heading: prepared.newHeading,
    renderMiddle: beforeForms => createMiddle(prepared, isInMiddle, beforeForms) + rejectedDetails(prepared),
    renderPanel: hasMiddle =>
      hasPanel(prepared) ? createPanel(prepared, (isInMiddle || isRejected(prepared)) && hasMiddle) : '',
    isWide: prepared.list.isWide,
  }
}

async function createActions(prepared: PreparedPage): Promise<string> {
  const { context, forms, list, newHeading } = prepared
  if (newHeading !== undefined) return ''
  const menu = createViewsMenu(prepared)
  // A view whose query the list refuses can be changed and deleted.
  if (prepared.message || prepared.onceHtml !== '') return menu
  const actions = menu + (await pageActions(context, forms, await listButtons(prepared)))
  if (prepared.historyHtml !== '')
    return html`<a class="button" href="#history">${context.words('page.history')} <span aria-hidden="true">&nbsp;&darr;</span></a>!${actions}`
  if (!canCreate(context, forms)) return actions
  // The notice of an empty list has the link to create an object.
  return html`!${actions}!${importLink(context)}!${list.emptyQuery === undefined ? newLink(context) : ''}`
}

const createViewsMenu = ({ context, rail, csrfToken }: PreparedPage): string =>
  viewsMenu(context, rail?.sections.flatMap(section => section.entries) ?? [], csrfToken)

async function listButtons(prepared: PreparedPage): Promise<readonly ActionButton[]> {
  const { context, forms, body, csrfToken } = prepared
  if (context.status !== 200 || context.request.method !== 'GET') return []
  const actions = await listOfferedActions(context, forms, body)
  if (actions.length === 0) return []
  const formContext = { csrfToken, match: findRequiredMatch(prepared) }
  return actions.map(action => ({
    html: actionButton(action, context, formContext),
    isInMenu: action.isInMenu,
  }))
}

async function findAction(name: string, { context, forms, body }: PreparedPage): Promise<OfferedAction | undefined> {
  const object = context.error === undefined && !context.rejection ? body : undefined
  const offered = await listOfferedActions(context, forms, object)
  return offered.find(action => action.name === name)
}

async function createActionParts(prepared: PreparedPage, action: OfferedAction): Promise<PageParts> {
  const { context, body } = prepared
  const { label, method, form } = action
  const pickers = await findFormPickers({ [method]: form }, createFormSource(prepared), context)
  const formContext = { ...createFormContext({ ...prepared, pickers }), match: findRequiredMatch(prepared) }
  return {
    heading: `${label}: ${formatHeading(context, body)}`,
    tagsHtml: '',
    actionsHtml: '',
    renderMiddle: () => actionPage(action, context, formContext) + rejectedDetails(prepared),
    renderPanel: () =>
      createPanel(
        { ...prepared, context: createContextOf(action, context), forms: { [method]: form } },
        isRejected(prepared),
      ),
  }
}

// The examples send the request of the action.
function createContextOf({ path }: OfferedAction, context: PageContext): PageContext {
  const { prefix, root } = context.view
  const url = prefix + path.slice(root.length)
  return { ...context, request: Object.create(context.request, { url: { value: url } }) }
}

// An action takes effect in any state of the object, unless its resource asks for the expected one.
const findRequiredMatch = ({ forms, context, etag }: PreparedPage): string | undefined =>
  forms.PATCH?.requiresIfMatch && context.error === undefined ? etag() : undefined

// A page of the list that cannot be read, such as one beyond its end, shows its error.
const findOpenedBulkForm = ({ context }: PreparedPage): ReturnType<typeof findBulkForm> =>
  context.error === undefined ? findBulkForm(context) : undefined

async function createBulkParts(prepared: PreparedPage, form: URLSearchParams): Promise<PageParts | undefined> {
  const { context } = prepared
  const { view, requestContext, words } = context
  if (form.has(keepField)) return undefined
  const actions = await listBulkActions(view, requestContext, words)
  const action = actions.find(({ name }) => name === form.get(bulkParameter))
  if (action === undefined && !lacksAction(form)) return undefined
  const mainHtml = action ? await bulkConfirmation(prepared, action, form) : bulkChoicePage(actions, form, context)
  return createPlainParts(action ? formatBulkHeading(action, context) : words.list(view.resource ?? view), mainHtml)
}

// A page without the panel.
const createPlainParts = (heading: string, mainHtml: string): PageParts => ({
  heading,
  tagsHtml: '',
  actionsHtml: '',
  renderMiddle: () => mainHtml,
  renderPanel: () => '',
})

const asksForImport = ({ context, forms }: PreparedPage): boolean =>
  isImportable(context) && canCreate(context, forms) && pageQuery(context).has(importPageParameter)

const createImportParts = ({ context, csrfToken }: PreparedPage): PageParts =>
  createPlainParts(formatImportHeading(context), uploadPage(context, csrfToken))

async function createComparisonParts({ context }: PreparedPage): Promise<PageParts> {
  const mainHtml = await comparison(context)
  return { ...createPlainParts(formatCompareHeading(context), mainHtml), actionsHtml: compareActions(context) }
}

async function createDeletionParts(prepared: PreparedPage): Promise<PageParts> {
  const { context, body, csrfToken, forms } = prepared
  const match = forms.DELETE!.requiresIfMatch ? prepared.etag() : undefined
  const mainHtml = await deletionPage(context, { csrfToken, match })
  return {
    ...createPlainParts(context.words('page.delete_what', { name: formatHeading(context, body) }), mainHtml),
    renderPanel: () => createPanel({ ...prepared, forms: { DELETE: forms.DELETE! } }, false),
  }
}

async function createUndoParts(
  { context, body, csrfToken, etag }: PreparedPage,
  undone: NonNullable<Awaited<ReturnType<typeof findUndone>>>,
): Promise<PageParts> {
  const mainHtml = await undoPage(undone, body, context, { csrfToken, match: etag() })
  return createPlainParts(context.words('page.undo_what', { name: formatHeading(context, body) }), mainHtml)
}

// People see the response itself if nothing else shows it.
function showsResponseInMiddle({
  context,
  list,
  objectHtml,
  forms,
  message,
  rootHtml,
  onceHtml,
  newHeading,
}: PreparedPage): boolean {
  const { request } = context
  if (onceHtml !== '' || newHeading !== undefined) return false
  if (message !== undefined || !isSafe(request.method) || request.method === 'OPTIONS') return true
  const hasForm = forms.PUT !== undefined || forms.PATCH !== undefined
  const hasContent = list.tableHtml + rootHtml + objectHtml !== '' || list.emptyQuery !== undefined
  return !hasContent && !hasForm
}

// A page on which nothing can be done has no panel.
const hasPanel = ({ context, message, forms }: PreparedPage): boolean =>
  message === undefined || (context.status < 500 && Object.keys(forms).length > 0)

function createMiddle(content: PreparedPage, isInMiddle: boolean, beforeForms: string): string {
  const { context, headers, forms, list, navHtml, rootHtml, objectHtml, isSelection, message } = content
  if (content.newHeading !== undefined)
    return beforeForms + formSections({ POST: forms.POST! }, createFormContext(content))
  if (content.onceHtml !== '') return content.onceHtml + beforeForms
  const response = isInMiddle && !isRejected(content) ? createResponse(content) : ''
  return [
    message?.html ?? '',
    refusalNotice(context, findRefusedLabel(context)),
    createdNotice(context, headers),
    isHistoryView(context.view) ? '' : queryForm(context),
    list.filterHtml,
    rootHtml,
    objectHtml,
    list.tableHtml,
    emptyNotice(content),
    navHtml,
    list.tableHtml === '' ? '' : downloadLinks(context, content.maxDownloadRows),
    message ? '' : response,
    beforeForms,
    content.facts.above,
    isSelection ? selectionNotice(context) : precondition(content),
    formSections(leaveOutAsked(listMiddleForms(content), context.view), createFormContext(content)),
    content.facts.below,
    content.relatedHtml,
    content.historyHtml,
    message && response !== '' ? detailsHtml(response, context) : '',
  ].join('')
}

const emptyNotice = ({ context, list, forms }: PreparedPage): string =>
  list.emptyQuery === undefined
    ? ''
    : emptyList(list.emptyQuery, context, canCreate(context, forms) ? newLink(context) : '')

const createResponse = (content: PreparedPage): string =>
  content.body === undefined ? '' : responseSection(content.context, content, content.headers)

const isRejected = ({ context: { rejection } }: PreparedPage): boolean => rejection !== undefined

// The action that was refused.
function findRefusedLabel(context: PageContext): string | undefined {
  const rejected = context.rejection?.context
  if (rejected === undefined) return undefined
  const isOwn = rejected.view.path === context.view.path
  if (isOwn && rejected.request.method === 'DELETE') return context.words('page.delete_now')
  const name = isOwn
    ? pageQuery(rejected).get(actionParameter)
    : formatViewAction(pagePath(rejected), rejected.request.method)
  return name === null ? undefined : findActionLabel(name, context)
}

// The response to the rejected request, for programmers.
function rejectedDetails({ context, headers }: PreparedPage): string {
  const { rejection } = context
  if (rejection === undefined || rejection.context.error instanceof UnsentForm) return ''
  return detailsHtml(responseSection(rejection.context, rejection.data, headers), context)
}

const detailsHtml = (contentHtml: string, { words }: PageContext): string =>
  html`<details class="technical"><summary>${words('page.details')}</summary>
!${contentHtml}</details>
`

function createPanel(content: PreparedPage, isInMiddle: boolean): string {
  const { context } = content
  const response = isInMiddle ? '' : isRejected(content) ? rejectedDetails(content) : createResponse(content)
  return consolePanel(context, content.forms, { formContext: createFormContext(content), response })
}

const selectionNotice = (context: PageContext): string =>
  html`<p class="help">${context.words('page.selection')} <a href="${pagePath(context)}">${context.words('page.show_whole')}</a></p>
`

// Without JavaScript, the browser shows the response to POST instead of the created object.
function createdNotice({ status, words }: PageContext, { location }: HeaderFields): string {
  if (status !== 201 || typeof location !== 'string' || !/^(?:https?:\/\/|\/(?![/\\]))/.test(location)) return ''
  return html`<p class="notice" role="status">${words('page.created')} <a href="${location}">${location}</a></p>
`
}
