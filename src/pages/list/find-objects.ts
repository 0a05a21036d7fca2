// Searches the lists that a caller may open, as the caller would with `?search=`. The number of lists and of objects is
// bounded.

import {
  type ApiResponse,
  addSlash,
  formatBody,
  JsonPage,
  JsonStream,
  narrowListMetadata,
  parseIntegers,
  type RequestContext,
} from '#core'
import type { Rail, RailEntry, RailSection } from '../frame/rail.ts'
import type { Words } from '../html/words.ts'
import type { PageLink } from '../page/browsable-page.ts'
import { readItems } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import { createContextIn } from '../page/view-above.ts'
import type { ListedObject } from '../values/list-columns.ts'
import { isSearchable } from './list-query.ts'
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

/** How much is searched at most. */
interface SearchBounds {
  readonly lists: number
  readonly objects: number
}

/** Searches one list after another, until there are enough objects. Lists without results are left out. */
export async function findObjects(
  text: string,
  context: RequestContext,
  { sections }: Rail,
  words: Words,
  bounds: SearchBounds = { lists: maxLists, objects: maxLists * maxObjects },
): Promise<readonly FoundList[]> {
  const foundLists: FoundList[] = []
  for (const { section, entry } of listSearchable({ sections }, context).slice(0, bounds.lists)) {
    if (foundLists.reduce((sum, { objects }) => sum + objects.length, 0) >= bounds.objects) break
    const query = formatQuery(text, entry)
    const objects = await readObjects(query, context, section, entry, words)
    const title = sections.length > 1 ? `${entry.text} · ${section.title}` : entry.text
    if (objects.length > 0) foundLists.push({ title, href: entry.href + query, objects })
  }
  return foundLists
}

/** A list that the caller may search. */
interface SearchableList {
  readonly section: RailSection
  readonly entry: RailEntry
}

/** The lists that the caller may search. */
export const listSearchable = (
  { sections }: Pick<Rail, 'sections'>,
  context: RequestContext,
): readonly SearchableList[] =>
  sections.flatMap(section =>
    section.entries.filter(entry => canSearch(entry, context)).map(entry => ({ section, entry })),
  )

/** The first objects of a list that a search finds, by one statement. */
export const searchList = (
  text: string,
  context: RequestContext,
  section: RailSection,
  entry: RailEntry,
  words: Words,
): Promise<readonly PageLink[]> => readObjects(formatQuery(text, entry), context, section, entry, words)

const formatQuery = (text: string, { view }: RailEntry): string =>
  `?${new URLSearchParams({ [view.listMetadata!.parameterNames.search]: text })}`

function canSearch({ view }: RailEntry, context: RequestContext): boolean {
  const { listMetadata } = view
  if (listMetadata === undefined) return false
  return isSearchable(narrowListMetadata(listMetadata, context))
}

async function readObjects(
  query: string,
  context: RequestContext,
  { api }: RailSection,
  { view, href }: RailEntry,
  words: Words,
): Promise<readonly PageLink[]> {
  // The rail may be older than a change of the caller's permissions, so this request checks them again.
  const response = await readView(createContextIn(context, api, view.path + query), view)
  const items = response === undefined ? [] : await readFirst(response)
  const listMetadata = narrowListMetadata(view.listMetadata!, context)
  const detailView = view.findView(view.path + listMetadata.objectPattern)
  const hasDetailPages = detailView?.handlers.has('GET') ?? false
  const list = { listMetadata, listPath: addSlash(href), urlEnd: api.urlEnd }
  return items.slice(0, maxObjects).map(item => {
    const object = Object(item) as ListedObject
    const path = hasDetailPages ? findObjectPath(object, list) : undefined
    return { text: nameObject(object, listMetadata, words) || (path ?? href), href: path ?? href + query }
  })
}

async function readFirst({ body }: ApiResponse): Promise<readonly unknown[]> {
  if (body instanceof JsonPage) return body.items.slice(0, maxObjects).map(item => parseIntegers(item))
  if (!(body instanceof JsonStream)) return readItems(parseIntegers(formatBody(body))) ?? []
  for await (const portion of body.portions) return portion.slice(0, maxObjects).map(item => parseIntegers(item))
  return []
}
