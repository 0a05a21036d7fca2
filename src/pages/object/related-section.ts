// The objects that refer to the page's object: the first of each list that can be filtered by it. Each list is read as a GET of
// the same caller would, so the page shows only what the caller may list.

import { html } from 'ghtml'
import {
  addSlash,
  endUrl,
  findPathIdentifier,
  isObject,
  type ListMetadata,
  listParameterNames,
  narrowListMetadata,
  type RequestContext,
  storageColumn,
  type Total,
  type View,
} from '#core'
import type { Rail, RailEntry, RailSection } from '../frame/rail.ts'
import { formatCount } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import { readNames } from '../list/list-section.ts'
import { listTable, type TableList } from '../list/table.ts'
import type { PageContext } from '../page/page-context.ts'
import { isObjectView } from '../page/page-title.ts'
import { readItems, readObject } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import { readResponseData } from '../page/response-data.ts'
import { createContextIn } from '../page/view-above.ts'
import { type ListedObject, selectColumns } from '../values/list-columns.ts'
import { findPaginationLinks } from '../values/pagination-links.ts'

/** A list that can be filtered by the page's object. */
interface RelatedList {
  readonly section: RailSection
  readonly entry: RailEntry
  readonly listMetadata: ListMetadata
  /** The parameter of the filter, and its value for the object. */
  readonly parameter: string
  readonly value: string
}

const maxLists = 8
const maxObjects = 5
const maxColumns = 3

/** The page of an object. */
interface Page {
  readonly context: RequestContext
  readonly words: Words
}

/** The sections; empty for other pages than those of objects. `body`: the body of the response, as data. */
export async function relatedSections(
  { view, status, request, requestContext: context, words }: PageContext,
  body: unknown,
  rail: Rail | undefined,
): Promise<string> {
  // The object shows its children itself.
  const children = Object.values(view.objectMetadata?.fields ?? {}).map(({ childStorage }) => childStorage?.target.name)
  const isOfObject = status === 200 && request.method === 'GET' && isObjectView(view)
  if (!isOfObject || context === undefined || rail === undefined) return ''
  const lists = findRelatedLists(view, context, readObject(body, view.envelope), rail)
    .filter(({ entry }) => !children.includes(entry.view.resource?.name))
    .slice(0, maxLists)
  const sections = await Promise.all(lists.map(list => relatedSection(list, lists, { context, words })))
  return sections.join('')
}

function findRelatedLists(
  view: View,
  context: RequestContext,
  object: Readonly<Record<string, unknown>>,
  { sections }: Rail,
): readonly RelatedList[] {
  const ownUrl = endUrl(`${view.root}/${view.resource!.name}/`, view.urlEnd)
  return sections.flatMap(section =>
    section.entries.flatMap(entry => {
      const { listMetadata: declared, findListUrl } = entry.view
      if (declared === undefined) return []
      const findValueField = ({ relation, foreignColumn }: ListMetadata['filters'][string]): string | undefined => {
        if (relation !== undefined)
          return findListUrl(relation.target) === ownUrl ? relation.findValueField() : undefined
        const isOwn = section.api.isOwn && foreignColumn?.target.table === view.objectMetadata?.table
        return isOwn && foreignColumn ? findUniqueText(foreignColumn.column, view) : undefined
      }
      // Lists of other objects are not asked which filters the caller may see.
      if (!Object.values(declared.filters).some(filter => findValueField(filter) !== undefined)) return []
      const listMetadata = narrowListMetadata(declared, context)
      const byValue = Object.entries(listMetadata.filters).flatMap(([parameter, filter]) => {
        const name = findValueField(filter)
        if (name === undefined || !isExact(parameter, listMetadata)) return []
        const value = object[name] ?? readPathName(filter, view, context)
        return value === undefined || value === null
          ? []
          : [{ section, entry, listMetadata, parameter, value: String(value) }]
      })
      // A list may show the key and the name of the same object.
      const byRelation = byValue.filter(({ parameter }) => listMetadata.filters[parameter]!.relation !== undefined)
      return byRelation.length > 0 ? byRelation : byValue
    }),
  )
}

// An object that does not show its key has it in its URL.
function readPathName(
  { relation }: ListMetadata['filters'][string],
  view: View,
  { request }: RequestContext,
): string | undefined {
  if (relation === undefined) return undefined
  const { column, parts } = findPathIdentifier(relation.target)
  if (parts !== undefined || relation.identifier.column !== column) return undefined
  return (request.params as Readonly<Record<string, string>>)[listParameterNames(view.path).at(-1)!]
}

// The field of the object with the texts of this column, of which each names one object.
const findUniqueText = (column: string, { objectMetadata }: View): string | undefined =>
  Object.entries(objectMetadata?.fields ?? {}).find(
    ([name, field]) => field.unique !== undefined && storageColumn(name, field) === column,
  )?.[0]

// A filter by a field of the list itself: neither of a related object, nor a negation.
function isExact(parameter: string, { filterDescriptions }: ListMetadata): boolean {
  const { field, lookup } = Object(filterDescriptions[parameter]) as {
    readonly field?: string
    readonly lookup?: string
  }
  return lookup === 'exact' && field !== undefined && !field.includes('.')
}

async function relatedSection(
  list: RelatedList,
  lists: readonly RelatedList[],
  { words, context }: Page,
): Promise<string> {
  const { section, entry, parameter, value } = list
  const { view, href } = entry
  const query = new URLSearchParams({ [parameter]: value })
  const listContext = createContextIn(context, section.api, view.path + limitPage(query, list))
  const response = await readView(listContext, view)
  if (response === undefined) return ''
  const { body, isTruncated } = await readResponseData(response.body)
  const objects = readItems(body, view.envelope)?.filter(isObject) ?? []
  if (objects.length === 0) return ''
  const total = findPaginationLinks(body, response.headers ?? {}, view.envelope)?.total
  const count = isTruncated ? undefined : (total ?? { count: objects.length, isExact: true })
  const title = formatTitle(list, lists, words)
  const id = `related-${view.id}-${parameter}`
  return html`<section class="related" aria-labelledby="${id}">
<h2 id="${id}">${title} <a href="${`${href}?${query}`}">${formatAll(count, words)}</a></h2>
!${listTable(await createTable(list, objects.slice(0, maxObjects), { words, context: listContext }), title)}</section>
`
}

function formatAll(total: Total | undefined, words: Words): string {
  if (total === undefined) return words('page.all_related')
  const count = formatCount(total.count, words.language)
  return words('page.count_related', { count: total.isExact ? count : words('page.more_than', { count }) })
}

// Asks for no more objects than the page shows, if the list lets callers choose.
function limitPage(query: URLSearchParams, { listMetadata: { sizeParameter, pageParameters } }: RelatedList): string {
  const { min_value: min = 1 } = pageParameters[sizeParameter ?? ''] ?? {}
  return `?${query}${sizeParameter === undefined ? '' : `&${sizeParameter}=${Math.max(Number(min), maxObjects)}`}`
}

// A resource may refer to the object more than once.
function formatTitle(
  { entry, listMetadata, parameter }: RelatedList,
  lists: readonly RelatedList[],
  words: Words,
): string {
  const isOnly = lists.filter(list => list.entry === entry).length === 1
  return isOnly ? entry.text : `${entry.text} (${words.label(parameter, listMetadata.filters[parameter]!)})`
}

// The column by which the list is filtered would repeat the object of the page.
async function createTable(
  { section, entry: { view, href }, listMetadata: declared, parameter }: RelatedList,
  objects: readonly ListedObject[],
  { words, context }: Page,
): Promise<TableList> {
  const query = new URLSearchParams()
  const columns = selectColumns(declared, query, objects).others.map(({ name }) => name)
  const shown = columns.filter(name => name !== parameter).slice(0, maxColumns)
  const listMetadata = { ...declared, columns: shown, orderingFields: {} }
  return {
    ...{ objects, query, words, urlEnd: section.api.urlEnd, listMetadata },
    path: href,
    listPath: addSlash(href),
    pickers: new Map(),
    groups: [],
    errors: {},
    names: await readNames(listMetadata, query, objects, context),
    hasDetailPages: view.findView(view.path + listMetadata.objectPattern)?.handlers.has('GET') ?? false,
    selected: undefined,
  }
}
