// The data and the HTML that the parts of a page have in common.

import { type Form, type HeaderFields, isSafe, listAllowedForms, PreconditionFailed, type Total } from '#core'
import { writersNote } from './console/writers-note.ts'
import { createFormSource } from './forms/form-context.ts'
import { findNewHeading } from './forms/new-page.ts'
import { findFormPickers } from './forms/picker-requests.ts'
import type { Pickers } from './forms/pickers.ts'
import type { ErrorMessage } from './frame/error-message.ts'
import type { Rail } from './frame/rail.ts'
import { resourceCards } from './frame/root-page.ts'
import { type ListSection, listSection, noSection } from './list/list-section.ts'
import { onceSection } from './object/action-result.ts'
import { historyPage, historySection } from './object/history-section.ts'
import { relatedSections } from './object/related-section.ts'
import type { PageContext } from './page/page-context.ts'
import { pageQuery, pageUrl } from './page/page-url.ts'
import { readItems } from './page/read-data.ts'
import type { ResponseData } from './page/response-data.ts'
import { createFacts, noFacts, type ObjectFacts, objectSection } from './values/object-section.ts'
import { findPaginationLinks, paginationNav } from './values/pagination-links.ts'

type Forms = Readonly<Record<string, Form>>

export interface ContentSource extends ResponseData {
  readonly context: PageContext
  /** The header fields of the response. */
  readonly headers: HeaderFields
  readonly csrfToken: string | undefined
  readonly rail: Rail | undefined
  /** The option `maxDownloadRows`. */
  readonly maxDownloadRows: number | undefined
  /** Undefined if the page shows what the caller asked for. */
  readonly message: ErrorMessage | undefined
}

export interface PreparedPage extends ContentSource {
  readonly forms: Forms
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
  /** The state of the object, if the rejected change expected another one. */
  readonly conflict: ResponseData | undefined
  /** The labels and values of an object that the caller cannot change; empty for other pages. */
  readonly objectHtml: string
  /** The labels and values that the form of the page's object does not have. */
  readonly facts: ObjectFacts
  /** The objects that refer to the page's object. */
  readonly relatedHtml: string
  readonly historyHtml: string
  /** The options of the forms' relations. */
  readonly pickers: Pickers
  /** The values that only this page shows; empty if there are none. */
  readonly onceHtml: string
}

/** Reads everything that the parts of a page show. */
export async function preparePage(content: ContentSource): Promise<PreparedPage> {
  const { context, body, headers, rail } = content
  const { view, status, requestContext } = context
  const allowedForms = requestContext && status < 500 ? await listAllowedForms(requestContext, view) : {}
  const isSelection = showsSelection(context, allowedForms)
  const forms = isSelection ? {} : allowedForms
  const links = findPaginationLinks(body, headers, view.envelope)
  const url = pageUrl(context)
  const itemCount = readItems(body, view.envelope)?.length ?? 0
  const shown = { url, list: view.listMetadata, itemCount, words: context.words }
  const isConflict = context.error === undefined && context.rejection?.context.error instanceof PreconditionFailed
  const conflict = isConflict ? content : undefined
  const newHeading = findNewHeading(context, forms)
  const list = newHeading === undefined ? await listSection(context, content, links) : noSection
  const rootHtml = createRoot(content)
  const pickedForms = newHeading === undefined ? listMiddleForms({ context, forms }) : forms
  const relatedHtml = await relatedSections(context, body, rail)
  const historyHtml = await historySection(context)
  const pickers = await findFormPickers(pickedForms, createFormSource({ ...content, conflict }), context)
  return {
    ...content,
    forms,
    isSelection,
    newHeading,
    list,
    navHtml: links ? paginationNav(links, shown) : '',
    total: links?.total,
    rootHtml,
    objectHtml: showsObject(content, forms, rootHtml)
      ? (await historyPage(context, body)) || writersNote(context, allowedForms) + (await objectSection(context, body))
      : '',
    facts: showsFacts(content, forms) ? await createFacts(context, body, forms.PATCH!) : noFacts,
    relatedHtml,
    historyHtml,
    onceHtml: context.request.method === 'POST' ? await onceSection(context, headers, body) : '',
    conflict,
    pickers,
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

function showsObject({ context, message }: ContentSource, forms: Forms, rootHtml: string): boolean {
  const { view, status, request } = context
  const isShown = message === undefined && request.method === 'GET' && status === 200
  const isOther = view.listMetadata !== undefined || rootHtml !== ''
  return isShown && !isOther && forms.PUT === undefined && forms.PATCH === undefined
}

const showsFacts = ({ context: { status, request } }: ContentSource, { PATCH }: Forms): boolean =>
  PATCH !== undefined && status === 200 && request.method === 'GET'

// Objects of a list are created on a page of its own, unless the caller may not open the list.
export function listMiddleForms({ context, forms }: Pick<PreparedPage, 'context' | 'forms'>): Forms {
  const { POST: _, ...others } = forms
  const isShown = isSafe(context.request.method) && context.status !== 403
  return context.view.listMetadata !== undefined && isShown ? others : forms
}

// A form with the values of a selection would remove the other ones.
function showsSelection(context: PageContext, forms: Forms): boolean {
  const parameters = Object.values(forms).flatMap(form => form.selectionParameters ?? [])
  if (parameters.length === 0) return false
  const query = pageQuery(context)
  return parameters.some(name => query.has(name))
}
