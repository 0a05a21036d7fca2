// The part of a list's page above the JSON: the filter form and the table.

import { html } from 'ghtml'
import {
  hasNames,
  isSafe,
  type ListMetadata,
  listNamedValues,
  narrowListMetadata,
  type ObjectNames,
  type RequestContext,
  type View,
} from '#core'
import { listBulkActions } from '../bulk/bulk-actions.ts'
import { bulkForm, findBulkForm } from '../bulk/bulk-page.ts'
import { readSelection } from '../bulk/bulk-selection.ts'
import { findPickers } from '../forms/pickers.ts'
import { findListPath } from '../page/find-list-path.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageQuery, pageUrl } from '../page/page-url.ts'
import { readItems } from '../page/read-data.ts'
import type { ResponseData } from '../page/response-data.ts'
import { maxNamedItems } from '../values/list-cells.ts'
import { type Column, type ListColumns, type ListedObject, selectColumns } from '../values/list-columns.ts'
import type { PaginationLinks } from '../values/pagination-links.ts'
import { listErrors } from '../values/value-texts.ts'
import { filterChips, ignoredParameters } from './active-filters.ts'
import { listFilterRequests } from './filter-controls.ts'
import { filterForm } from './filter-form.ts'
import { groupFilters } from './filter-groups.ts'
import { keysDialog } from './keys-dialog.ts'
import { type ListQuery, parseListQuery } from './list-query.ts'
import { findObjectPath, listTable } from './table.ts'

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

/** The section of a page without a list. */
export const noSection: ListSection = { filterHtml: '', tableHtml: '' }

/**
 * The section of a list: the filter form and the table. After a rejected query (400), there is only the form; for a
 * view that is not a list, and for other statuses and methods, both are empty.
 */
export async function listSection(
  context: PageContext,
  { body, exact }: ResponseData,
  links: PaginationLinks | undefined,
): Promise<ListSection> {
  const { view, request, status, requestContext, words } = context
  const { listMetadata: declared } = view
  if (declared === undefined || !isSafe(request.method) || (status !== 200 && status !== 400)) return noSection
  const listMetadata = narrowListMetadata(declared, requestContext)
  const url = pageUrl(context)
  const groups = groupFilters(listMetadata)
  const pickers = await findPickers(listFilterRequests(groups, listMetadata, pageQuery(context)), context)
  const errors = listErrors(context.error)
  const createQuery = () => ({ listMetadata, groups, pickers, words, errors, ...parseListQuery(url, links) })
  const names = await readNames(listMetadata, pageQuery(context), listObjects(body, view), requestContext)
  const createFilters = (list: ListQuery) =>
    html`!${ignoredParameters(list, context)}!${filterForm(list)}!${filterChips(list)}!${newObjects(list, context)}`
  if (status !== 200 || listObjects(body, view).length === 0) {
    const query = createQuery()
    const isEmpty = status === 200 && readItems(body, view.envelope)?.length === 0
    return { filterHtml: createFilters(query), tableHtml: '', ...(isEmpty && { emptyQuery: query }) }
  }
  const detailView = view.findView(listMetadata.path + listMetadata.objectPattern)
  const actions = await listBulkActions(view, requestContext, words)
  const isSelectable = actions.length > 0
  const hasDetailPages = detailView?.handlers.has('GET') ?? false
  const listPath = findListPath(context, listMetadata)
  const form = findBulkForm(context)
  const selected = new Set(form ? readSelection(form, listPath) : [])
  const list = {
    ...createQuery(),
    listPath,
    urlEnd: view.urlEnd,
    objects: listObjects(exact(), view),
    names,
    hasDetailPages,
    selected: isSelectable ? selected : undefined,
    words,
  }
  const tableHtml = listTable(list, view.name)
  const shown = new Set(list.objects.map(object => findObjectPath(object, list)))
  const kept = [...selected].filter(path => !shown.has(path))
  const pages = { previous: findQuery(links?.previous), next: findQuery(links?.next) }
  return {
    filterHtml: createFilters(list),
    tableHtml:
      (isSelectable
        ? bulkForm({ tableHtml, actions, isComparable: hasDetailPages, kept, pages }, context)
        : tableHtml) + keysDialog(words),
    isWide: selectColumns(listMetadata, list.query, list.objects).others.length > maxNarrowColumns,
  }
}

const findQuery = (link: string | undefined): string | undefined =>
  link === undefined ? undefined : URL.parse(link, 'http://localhost')?.search

// With the script, says how many objects have entered the list since. A feed does not search.
function newObjects({ listMetadata, query }: ListQuery, context: PageContext): string {
  const { view, words } = context
  const { path, parameterNames } = listMetadata
  const isFollowed = view.path === path && view.findView(`${path}feed/`)?.lenientAccept === true
  if (!isFollowed || query.has(parameterNames.search)) return ''
  const url = new URL(pageUrl(context), 'http://localhost')
  const feed = `${url.pathname.replace(/\/?$/, '/')}feed${view.urlEnd}${url.search || '?'}`
  const text = html`${words('page.new_objects', { count: '{count}' })}`.replace('{count}', '<b></b>')
  return html`<p class="notice" role="status" data-feed="${feed}" hidden><a href="${url.pathname + url.search}">!${text}</a></p>
`
}

/** Reads the names of the related objects that the columns show. */
export async function readNames(
  listMetadata: ListMetadata,
  query: URLSearchParams,
  objects: readonly ListedObject[],
  context: RequestContext | undefined,
): Promise<ObjectNames> {
  if (context === undefined) return {}
  const columns = selectColumns(listMetadata, query, objects)
  const values = listColumnValues(columns, objects)
  return Object.keys(values).length === 0 ? {} : listMetadata.readNames(values, context)
}

function listColumnValues(
  { others }: ListColumns,
  objects: readonly ListedObject[],
): Readonly<Record<string, readonly unknown[]>> {
  const listValues = ({ name, field }: Column) =>
    objects.flatMap(object => listNamedValues(field, object[name]).slice(0, maxNamedItems))
  const related = others.filter(({ field }) => hasNames(field))
  return Object.fromEntries(related.map(column => [column.name, listValues(column)]))
}

/** The objects in the body of a list. */
export function listObjects(body: unknown, { envelope }: Pick<View, 'envelope'>): readonly ListedObject[] {
  const items = readItems(body, envelope) ?? []
  const isObject = (item: unknown): item is ListedObject => typeof item === 'object' && item !== null
  return items.every(isObject) ? items : []
}
