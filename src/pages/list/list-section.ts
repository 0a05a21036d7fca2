// The part of a list's page above the JSON: the filter form and the table.

import { html } from 'ghtml'
import {
  digest,
  hasNames,
  isPromise,
  isSafe,
  type ListMetadata,
  type MaybePromise,
  narrowListMetadata,
  type ObjectNames,
  type RequestContext,
  readItems,
  type View,
} from '#core'
import { listBulkActions } from '../bulk/bulk-actions.ts'
import { bulkForm } from '../bulk/bulk-page.ts'
import { findPickers, type Pickers } from '../forms/pickers.ts'
import type { HtmlCache } from '../html/html-cache.ts'
import { findListPath } from '../page/find-list-path.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageQuery, pageUrl } from '../page/page-url.ts'
import type { ResponseData } from '../page/response-data.ts'
import { maxNamedItems } from '../values/list-cells.ts'
import { type ListColumns, type ListedObject, selectColumns } from '../values/list-columns.ts'
import type { PaginationLinks } from '../values/pagination-links.ts'
import { filterChips, ignoredParameters } from './active-filters.ts'
import { listFilterRequests } from './filter-controls.ts'
import { filterForm, type ListQuery, parseListQuery } from './filter-form.ts'
import { listTable } from './table.ts'

export interface ListSection {
  readonly filterHtml: string
  /** Empty if the list has no objects. */
  readonly tableHtml: string
  /** Whether the table has many columns. */
  readonly isWide?: boolean
  /** The query of a list without objects; undefined for other pages. */
  readonly emptyQuery?: ListQuery
}

/** A table with more columns after the name of the object has no room beside the request. */
const maxNarrowColumns = 4

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
  const picking = findPickers(listFilterRequests(listMetadata, pageQuery(context)), context)
  const pickers = isPromise(picking) ? await picking : picking
  const createQuery = () => ({ listMetadata, pickers, words, ...parseListQuery(url, links) })
  const naming = readNames(listMetadata, pageQuery(context), listObjects(body, view), requestContext)
  const names = isPromise(naming) ? await naming : naming
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
        isWide: selectColumns(listMetadata, list.query, list.objects).others.length > maxNarrowColumns,
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
function readNames(
  listMetadata: ListMetadata,
  query: URLSearchParams,
  objects: readonly ListedObject[],
  context: RequestContext | undefined,
): MaybePromise<ObjectNames> {
  if (context === undefined) return {}
  const columns = selectColumns(listMetadata, query, objects)
  const values = valuesOfColumns.get(columns) ?? listNamedValues(columns, objects)
  valuesOfColumns.set(columns, values)
  return Object.keys(values).length === 0 ? {} : listMetadata.readNames(values, context)
}

type NamedValues = Readonly<Record<string, readonly unknown[]>>

// Pages of the same response show the same values.
const valuesOfColumns = new WeakMap<ListColumns, NamedValues>()

function listNamedValues({ others }: ListColumns, objects: readonly ListedObject[]): NamedValues {
  const listValues = (name: string) => objects.flatMap(object => [object[name] ?? []].flat().slice(0, maxNamedItems))
  const related = others.filter(({ field }) => hasNames(field))
  return Object.fromEntries(related.map(({ name }) => [name, listValues(name)]))
}

const digests = new WeakMap<object, string>()

// Names and options are the same object until the next commit.
function digestOnce(value: object, format: () => string): string {
  const known = digests.get(value) ?? digest(format())
  digests.set(value, known)
  return known
}

function formatNames(names: ObjectNames): string {
  let text = ''
  for (const [field, values] of Object.entries(names))
    text += `${field} ${digestOnce(values, () => JSON.stringify([...values]))}`
  return text
}

function formatPickers({ filters }: ListMetadata, pickers: Pickers): string {
  let text = ''
  for (const [name, field] of Object.entries(filters)) {
    const picker = pickers.get(field)
    if (picker === undefined) continue
    const { options, isComplete } = picker
    text += `${name} ${isComplete} ${digestOnce(options, () => JSON.stringify(options))}`
  }
  return text
}

/** The objects in the body of a list. */
export function listObjects(body: unknown, { envelope }: Pick<View, 'envelope'>): readonly ListedObject[] {
  const items = readItems(body, envelope) ?? []
  const isObject = (item: unknown): item is ListedObject => typeof item === 'object' && item !== null
  return items.every(isObject) ? items : []
}
