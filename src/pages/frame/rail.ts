// The links of the rail: the lists of all APIs of the server that the caller may open.

import { endUrl, formatResourcePath, isPermitted, type RequestContext, type SiteApi, type View } from '#core'
import { createWords, type Words } from '../html/words.ts'
import type { PageLink } from '../page/browsable-page.ts'
import { referenceId, referencePath } from '../page/reference-path.ts'
import { readSavedViews, type SavedView } from '../saved-views/saved-views.ts'

/** A list that the caller may open. */
export interface RailEntry {
  /** The plural name: `Order items`. */
  readonly text: string
  readonly href: string
  readonly description: string
  readonly view: View
  /** The saved views of the list that the caller may open, by name. */
  readonly savedViews: readonly SavedView[]
}

/** The lists of one API. */
export interface RailSection {
  readonly api: SiteApi<View>
  readonly title: string
  /** The URL of the API's own page; undefined if it has none that the caller may open. */
  readonly href: string | undefined
  readonly entries: readonly RailEntry[]
}

export interface Rail {
  readonly sections: readonly RailSection[]
  /** The URLs of the OpenAPI documents that the caller may open and that no other one contains. */
  readonly documents: readonly PageLink[]
}

/** Lists the links for a caller, with the saved views. */
export async function findRail(context: RequestContext, view: View): Promise<Rail> {
  const { sections, documents } = await findRailOfLists(context, view)
  const request = Object.create(context.request, { [openLists]: { value: listUrls(sections) } })
  const saved = Map.groupBy(await readSavedViews({ ...context, request }, view), ({ list }) => list)
  const addViews = (section: RailSection): RailSection => {
    const find = (entry: RailEntry) => saved.get(formatListPath(section.api, entry)) ?? []
    return { ...section, entries: section.entries.map(entry => ({ ...entry, savedViews: find(entry) })) }
  }
  return { sections: sections.map(addViews), documents }
}

/** The path of a list on the server, which saved views contain. */
const formatListPath = ({ prefix }: SiteApi<View>, { view }: RailEntry): string => prefix + view.path

/** The property of a request that the rail sends itself: the lists that it has found for the caller. */
const openLists = Symbol('open lists')

/** The URLs of the lists that the caller may open, by their paths on the server. */
export async function listOpenLists(context: RequestContext): Promise<ReadonlyMap<string, string>> {
  const { [openLists]: lists } = context.request as { readonly [openLists]?: ReadonlyMap<string, string> }
  return lists ?? listUrls((await findRailOfLists(context, context.view as View)).sections)
}

const listUrls = (sections: readonly RailSection[]): ReadonlyMap<string, string> =>
  new Map(
    sections.flatMap(({ api, entries }) => entries.map(entry => [formatListPath(api, entry), entry.href] as const)),
  )

async function findRailOfLists(context: RequestContext, view: View): Promise<Rail> {
  // One request for all permissions, because some remember what they read for it.
  const request: RequestContext['request'] = Object.create(context.request, { params: { value: {} } })
  const words = createWords(view, context.request)
  const documents = await listDocuments({ ...context, request, method: 'GET' }, view, words)
  const sections = await Promise.all(
    view
      .listApis()
      .map(api =>
        readSection({ ...context, request, method: 'GET', baseUrl: api.toBaseUrl(context.baseUrl) }, api, words),
      ),
  )
  const shown = joinShared(sections.filter(section => section !== undefined))
  // The administration comes first.
  const sorted = shown.toSorted((left, right) => Number(right.api.isAdministration) - Number(left.api.isAdministration))
  return { sections: sorted, documents }
}

// The document of an API also describes the APIs below its prefix.
async function listDocuments(context: RequestContext, view: View, words: Words): Promise<readonly PageLink[]> {
  const documented = view.listApis().filter(({ findView }) => findView(documentPath) !== undefined)
  const outer = documented.filter(
    ({ prefix }) => !documented.some(other => other.prefix !== prefix && prefix.startsWith(`${other.prefix}/`)),
  )
  const links = await Promise.all(
    outer.map(async ({ title, root, findView }) => {
      const views = [findView(referencePath), findView(documentPath)].filter(
        found => found !== undefined && hasDocument(found),
      )
      const open = await filterOpen(context, views as readonly View[])
      return open.map(({ id, path, urlEnd }) => {
        const text = id === referenceId ? words('reference.name') : 'OpenAPI'
        const href = endUrl(root + path, urlEnd)
        return { text: outer.length === 1 ? text : `${text} · ${title ?? root}`, href }
      })
    }),
  )
  return links.flat()
}

// The application may have a view of its own at the path.
const hasDocument = ({ id, path }: View): boolean => path === documentPath || id === referenceId

async function filterOpen(context: RequestContext, views: readonly View[]): Promise<readonly View[]> {
  const isOpen = await Promise.all(
    views.map(view => isPermitted({ ...context, view }, view.forMethod('GET').permissions)),
  )
  return views.filter((_, index) => isOpen[index])
}

const documentPath = '/openapi.json/'

// APIs at the same prefix with the same title are one section.
function joinShared(sections: readonly RailSection[]): readonly RailSection[] {
  const groups = Map.groupBy(sections, ({ api, title }) => `${api.root} ${title}`)
  return [...groups.values()].map(group => ({ ...group[0]!, entries: group.flatMap(({ entries }) => entries) }))
}

async function readSection(
  context: RequestContext,
  api: SiteApi<View>,
  words: Words,
): Promise<RailSection | undefined> {
  const { title, resources, root, urlEnd, findView } = api
  if (title === null) return undefined
  const listed = resources.map(resource => ({ ...resource, view: findView(`/${formatResourcePath(resource)}/`) }))
  const openable = await Promise.all(listed.map(({ view }) => canOpen(context, view)))
  const entries = listed
    .filter((_, index) => openable[index])
    .map(({ description, view, ...resource }) => ({
      text: words.list(resource),
      href: endUrl(`${root}/${formatResourcePath(resource)}/`, urlEnd),
      description: words.text(description),
      view: view!,
      savedViews: [],
    }))
  if (entries.length === 0) return undefined
  const hasRoot = await canOpen(context, findView('/'))
  return { api, title, href: hasRoot ? endUrl(`${root}/`, urlEnd) : undefined, entries }
}

/** Whether the view has a page that the caller may open. */
async function canOpen(context: RequestContext, view: View | undefined): Promise<boolean> {
  if (view === undefined || !view.handlers.has('GET') || !hasPages(view)) return false
  return isPermitted({ ...context, view }, view.forMethod('GET').permissions)
}

const hasPages = ({ renderers }: View): boolean => renderers.some(({ mediaType }) => mediaType === 'text/html')
