// Searches the lists that a caller may open, as the caller would with `?search=`. The number of lists and of objects is
// bounded.

import type { HandlerContext, RequestContext } from '../context.ts'
import { readItems } from '../envelope/read-data.ts'
import { APIException } from '../errors/exceptions.ts'
import { parseIntegers } from '../exact-json.ts'
import { narrowListMetadata } from '../metadata.ts'
import { emptyBody } from '../parsers/request-body.ts'
import { type ApiResponse, formatBody, JsonPage, JsonStream, UnreadJson } from '../response.ts'
import type { Handler } from '../view.ts'
import type { PageLink } from './browsable-page.ts'
import type { ListedObject } from './list-columns.ts'
import type { Rail, RailEntry, RailSection } from './rail.ts'
import { findObjectPath, nameObject } from './table.ts'

/** The objects of one list. */
export interface FoundList {
  readonly title: string
  /** The URL of the list with the same search. */
  readonly href: string
  readonly objects: readonly PageLink[]
}

const maxLists = 12
const maxObjects = 5

/** Searches one list after another. Lists without results are left out. */
export async function findObjects(
  text: string,
  context: RequestContext,
  { sections }: Rail,
): Promise<readonly FoundList[]> {
  const searchable = sections.flatMap(section =>
    section.entries.filter(entry => isSearchable(entry, context)).map(entry => ({ section, entry })),
  )
  const found: FoundList[] = []
  for (const { section, entry } of searchable.slice(0, maxLists)) {
    const query = `?${new URLSearchParams({ search: text })}`
    const objects = await readObjects(query, context, section, entry)
    const title = sections.length > 1 ? `${entry.text} · ${section.title}` : entry.text
    if (objects.length > 0) found.push({ title, href: entry.href + query, objects })
  }
  return found
}

function isSearchable({ view }: RailEntry, context: RequestContext): boolean {
  const { listMetadata } = view
  if (listMetadata === undefined) return false
  return Object.keys(narrowListMetadata(listMetadata, context).searchFields).length > 0
}

async function readObjects(
  query: string,
  context: RequestContext,
  { api }: RailSection,
  { view, href }: RailEntry,
): Promise<readonly PageLink[]> {
  const getView = view.forMethod('GET')
  const url = { value: `${api.prefix}${view.path}${query}` }
  const request: RequestContext['request'] = Object.create(context.request, { params: { value: {} }, url })
  const baseUrl = api.toBaseUrl(context.baseUrl)
  const listContext = { ...context, request, view: getView, method: 'GET', baseUrl, requestBody: emptyBody }
  const items = await readList(listContext, getView.handlers.get('GET')!)
  const listMetadata = narrowListMetadata(view.listMetadata!, context)
  const detailView = view.findView(`${view.path}:key/`)
  const hasDetailPages = detailView?.handlers.has('GET') ?? false
  const list = { listMetadata, listPath: href.endsWith('/') ? href : `${href}/`, urlEnd: api.urlEnd }
  return items.slice(0, maxObjects).map(item => {
    const object = Object(item) as ListedObject
    const path = hasDetailPages ? findObjectPath(object, list) : undefined
    return { text: nameObject(object, listMetadata) || (path ?? href), href: path ?? href + query }
  })
}

// A caller whom the list refuses, or whose text it cannot search, finds nothing there.
async function readList(context: HandlerContext, handle: Handler): Promise<readonly unknown[]> {
  try {
    const response = await handle(context)
    return await readFirst(response, context)
  } catch (error) {
    if (error instanceof APIException) return []
    throw error
  }
}

async function readFirst({ body }: ApiResponse, context: HandlerContext): Promise<readonly unknown[]> {
  if (body instanceof UnreadJson) return readFirst(await body.read(), context)
  if (body instanceof JsonPage) return body.items.slice(0, maxObjects).map(item => parseIntegers(item))
  if (!(body instanceof JsonStream)) return readItems(parseIntegers(formatBody(body))) ?? []
  for await (const portion of body.portions) return portion.slice(0, maxObjects).map(item => parseIntegers(item))
  return []
}
