// The part of a list's page above the JSON: the filter form and the table.

import { html } from 'ghtml'
import type { RequestContext } from '../context.ts'
import { readItems } from '../envelope/read-data.ts'
import { hasNames } from '../fields/field.ts'
import { type ListMetadata, narrowListMetadata, type ObjectNames } from '../metadata.ts'
import { isSafe } from '../permissions/permission.ts'
import type { View } from '../view.ts'
import { filterChips, ignoredParameters } from './active-filters.ts'
import { listBulkActions } from './bulk-actions.ts'
import { bulkForm } from './bulk-page.ts'
import { listFilterRequests } from './filter-controls.ts'
import { filterForm, type ListQuery, parseListQuery } from './filter-form.ts'
import { findListPath } from './find-list-path.ts'
import type { HtmlCache } from './html-cache.ts'
import { maxNamedItems } from './list-cells.ts'
import { type ListedObject, selectColumns } from './list-columns.ts'
import type { PageContext } from './page-context.ts'
import { pageQuery, pageUrl } from './page-url.ts'
import type { PaginationLinks } from './pagination-links.ts'
import { findPickers, type Pickers } from './pickers.ts'
import type { ResponseData } from './response-data.ts'
import { listTable } from './table.ts'

export interface ListSection {
  readonly filterHtml: string
  /** Empty if the list has no objects. */
  readonly tableHtml: string
  /** The query of a list without objects; undefined for other pages. */
  readonly emptyQuery?: ListQuery
}

const noSection: ListSection = { filterHtml: '', tableHtml: '' }

/**
 * The section of a list: the filter form and the table. After a rejected query (400), there is only the form; for a
 * view that is not a list, and for other statuses and methods, both are empty.
 */
export async function listSection(
  context: PageContext,
  { json, body, exact }: ResponseData,
  { links, htmlCache }: { readonly links: PaginationLinks | undefined; readonly htmlCache: HtmlCache },
): Promise<ListSection> {
  const { view, request, status, requestContext, words } = context
  const { listMetadata: declared } = view
  if (declared === undefined || !isSafe(request.method) || (status !== 200 && status !== 400)) return noSection
  const listMetadata = narrowListMetadata(declared, requestContext)
  const url = pageUrl(context)
  const pickers = await findPickers(listFilterRequests(listMetadata, pageQuery(context)), context)
  const createQuery = () => ({ listMetadata, pickers, words, ...parseListQuery(url, links) })
  const names = await readNames(listMetadata, pageQuery(context), listObjects(body, view), requestContext)
  const createFilters = (list: ListQuery) =>
    html`!${ignoredParameters(list, context)}!${filterForm(list)}!${filterChips(list)}`
  if (status !== 200 || listObjects(body, view).length === 0) {
    const query = createQuery()
    const isEmpty = status === 200 && readItems(body, view.envelope)?.length === 0
    return { filterHtml: createFilters(query), tableHtml: '', ...(isEmpty && { emptyQuery: query }) }
  }
  const detailView = view.findView(`${listMetadata.path}:key/`)
  const actions = await listBulkActions(view, requestContext, words)
  const isSelectable = actions.length > 0
  const hasDetailPages = detailView?.handlers.has('GET') ?? false
  const parts = formatParts(listMetadata)
  return htmlCache.getOrCreate(
    json,
    `${view.root}${view.path} ${url} ${hasDetailPages} ${actions.map(({ name }) => name)} ${parts} ${words.language} ${formatNames(names)} ${formatPickers(listMetadata, pickers)}`,
    () => {
      const listPath = findListPath(context, listMetadata)
      const list = {
        ...createQuery(),
        listPath,
        urlEnd: view.urlEnd,
        objects: listObjects(exact(), view),
        names,
        hasDetailPages,
        isSelectable,
        words,
      }
      const tableHtml = listTable(list, view.name)
      return {
        filterHtml: createFilters(list),
        tableHtml: isSelectable ? bulkForm(tableHtml, actions, context) : tableHtml,
      }
    },
  )
}

// Callers who see all of a list share its metadata.
const textOfParts = new WeakMap<ListMetadata, string>()

function formatParts(listMetadata: ListMetadata): string {
  const { fields, searchFields, filters, orderingFields } = listMetadata
  const parts = [fields, searchFields, filters, orderingFields]
  const text = textOfParts.get(listMetadata) ?? parts.map(Object.keys).join(' ')
  textOfParts.set(listMetadata, text)
  return text
}

// The names of the related objects that the columns show.
async function readNames(
  listMetadata: ListMetadata,
  query: URLSearchParams,
  objects: readonly ListedObject[],
  context: RequestContext | undefined,
): Promise<ObjectNames> {
  const related = selectColumns(listMetadata, query, objects).others.filter(({ field }) => hasNames(field))
  if (context === undefined || related.length === 0) return {}
  const listValues = (name: string) => objects.flatMap(object => [object[name] ?? []].flat().slice(0, maxNamedItems))
  const values = related.map(({ name }) => [name, listValues(name)] as const)
  return listMetadata.readNames(Object.fromEntries(values), context)
}

// The names of a relation are the same map until the next commit.
const textOfNames = new WeakMap<ObjectNames[string], string>()

function formatNames(names: ObjectNames): string {
  let text = ''
  for (const [field, values] of Object.entries(names)) {
    const known = textOfNames.get(values) ?? JSON.stringify([...values])
    textOfNames.set(values, known)
    text += `${field} ${known}`
  }
  return text
}

const textOfOptions = new WeakMap<object, string>()

function formatPickers({ filters }: ListMetadata, pickers: Pickers): string {
  let text = ''
  for (const [name, field] of Object.entries(filters)) {
    const picker = pickers.get(field)
    if (picker === undefined) continue
    const { options, isComplete } = picker
    const known = textOfOptions.get(options) ?? JSON.stringify(options)
    textOfOptions.set(options, known)
    text += `${name} ${isComplete} ${known}`
  }
  return text
}

/** The objects in the body of a list. */
export function listObjects(body: unknown, { envelope }: Pick<View, 'envelope'>): readonly ListedObject[] {
  const items = readItems(body, envelope) ?? []
  const isObject = (item: unknown): item is ListedObject => typeof item === 'object' && item !== null
  return items.every(isObject) ? items : []
}
