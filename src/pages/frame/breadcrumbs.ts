// The links from the home page to a page: the root of its API, and one link per segment of its path. A parameter of the path
// is shown as the name of the object that it identifies. Segments without a view belong to the next link: `sales/2026`.

import { endUrl, formatBody, formatListTitle, parseIntegers, type View } from '#core'
import type { PageLink } from '../page/browsable-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { decodeSegment, findName, findShownName, isListView, unknownPath } from '../page/page-title.ts'
import { pagePath } from '../page/page-url.ts'
import { readView } from '../page/read-view.ts'
import { describeSite } from '../page/site-roots.ts'
import { createContextAt } from '../page/view-above.ts'

/** The parts of a page's context that name what is above it. */
export type BreadcrumbContext = Pick<PageContext, 'view' | 'request' | 'requestContext' | 'status' | 'words'>

/** `body`: the body of the response, as data; `home`: the URL of the home page. */
export const createBreadcrumbs = async (
  context: BreadcrumbContext,
  body: unknown,
  home: string,
): Promise<readonly PageLink[]> => createLinks(context, home, await nameObjects(context, body))

/** A segment of a view's path. */
interface Segment {
  readonly isParameter: boolean
  /** The view at the path up to this segment. */
  readonly view: View | undefined
}

function listSegments(view: View): readonly Segment[] {
  const patterns = view.path.split('/').filter(Boolean)
  return patterns.map((pattern, index) => ({
    isParameter: pattern.startsWith(':'),
    view: index === patterns.length - 1 ? view : view.findView(`/${patterns.slice(0, index + 1).join('/')}/`),
  }))
}

// The names of the objects in the path, by segment; undefined for the other segments.
const nameObjects = (context: BreadcrumbContext, body: unknown): Promise<readonly (string | undefined)[]> =>
  Promise.all(
    listSegments(context.view).map(({ isParameter, view }, index, { length }) => {
      if (!isParameter || view === undefined) return undefined
      return index === length - 1 ? findShownName(context, body) : readName(context, view)
    }),
  )

function createLinks(
  context: BreadcrumbContext,
  home: string,
  names: readonly (string | undefined)[],
): readonly PageLink[] {
  const { view } = context
  const texts = pagePath(context).slice(view.root.length).split('/').filter(Boolean)
  const segments = listSegments(view)
  // The view of unknown URLs has no pattern for their segments.
  const isMatched = segments.length === texts.length && view.path !== unknownPath
  const links = [...listRoots(context, home)]
  let before = ''
  for (const [index, text] of texts.entries()) {
    const path = `/${texts.slice(0, index + 1).join('/')}/`
    const segment = isMatched ? segments[index]! : undefined
    const shown = before + ((segment && names[index]) ?? nameSegment(decodeSegment(text), segment, before, context))
    const hasView = segment ? segment.view !== undefined : view.findMatch(path) !== undefined
    const isLast = index === texts.length - 1
    // A list with the name of its API is not named twice.
    if (index === 0 && links.length > 1 && links.at(-1)!.text === shown) links.pop()
    if (hasView || isLast) links.push({ text: shown, href: endUrl(view.root + path, view.urlEnd) })
    before = hasView ? '' : `${shown}/`
  }
  return links
}

function nameSegment(text: string, segment: Segment | undefined, before: string, { words }: BreadcrumbContext): string {
  if (segment?.isParameter || before !== '') return text
  const { view } = segment ?? {}
  if (view !== undefined && isListView(view)) return words.list(view.resource!)
  return words.text(view?.pageActions.GET?.label ?? formatListTitle(text))
}

// The home page, and the root of the API if that is another page.
function listRoots({ view, words }: BreadcrumbContext, home: string): readonly PageLink[] {
  const root = endUrl(`${view.root}/`, view.urlEnd)
  const homeLink = { text: words('page.home'), href: home }
  const rootView = view.findView('/')
  if (root === home || rootView === undefined) return [homeLink]
  return [homeLink, { text: describeSite(view).ownTitle ?? rootView.name, href: root }]
}

// The name as a GET of the object shows it to this caller.
async function readName({ requestContext, status }: BreadcrumbContext, view: View): Promise<string | undefined> {
  if (view.objectName === undefined || requestContext === undefined || status >= 500) return undefined
  const response = await readView(createContextAt(requestContext, view), view)
  return response && findName(view, parseIntegers(formatBody(response.body)))
}
