// The links from the root of an API to a page, one per segment of its path. A parameter of the path is shown as the name of
// the object that it identifies. Segments without a view belong to the next link: `sales/2026`.

import type { HandlerContext } from '../context.ts'
import { readObject } from '../envelope/read-data.ts'
import { APIException } from '../errors/exceptions.ts'
import { parseIntegers } from '../exact-json.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { emptyBody } from '../parsers/request-body.ts'
import { isPermitted } from '../permissions/permission.ts'
import { formatBody } from '../response.ts'
import { endUrl } from '../urls/trailing-slash.ts'
import type { Handler, View } from '../view.ts'
import type { PageLink } from './layout.ts'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'
import { createContextAt } from './view-above.ts'

/** `body`: the body of the response, as data. A promise only if the names of objects above the page are read. */
export function createBreadcrumbs(context: PageContext, body: unknown): MaybePromise<readonly PageLink[]> {
  const naming = nameObjects(context, body)
  return isPromise(naming) ? naming.then(names => createLinks(context, names)) : createLinks(context, naming)
}

/** A segment of a view's path. */
interface Segment {
  readonly isParameter: boolean
  /** The view at the path up to this segment. */
  readonly view: View | undefined
}

const segmentsOfViews = new WeakMap<View, readonly Segment[]>()

function listSegments(view: View): readonly Segment[] {
  const known = segmentsOfViews.get(view)
  if (known !== undefined) return known
  const patterns = view.path.split('/').filter(Boolean)
  const segments = patterns.map((pattern, index) => ({
    isParameter: pattern.startsWith(':'),
    view: index === patterns.length - 1 ? view : view.findView(`/${patterns.slice(0, index + 1).join('/')}/`),
  }))
  segmentsOfViews.set(view, segments)
  return segments
}

// The names of the objects in the path, by segment; undefined for the other segments.
function nameObjects(context: PageContext, body: unknown): MaybePromise<readonly (string | undefined)[]> {
  const names = listSegments(context.view).map(({ isParameter, view }, index, { length }) => {
    if (!isParameter || view === undefined) return undefined
    return index === length - 1 ? findShownName(context, body) : readName(context, view)
  })
  return names.some(isPromise) ? Promise.all(names) : (names as readonly (string | undefined)[])
}

function createLinks(context: PageContext, names: readonly (string | undefined)[]): readonly PageLink[] {
  const { view } = context
  const texts = pagePath(context).slice(view.root.length).split('/').filter(Boolean)
  const segments = listSegments(view)
  // The view of an unknown URL has no pattern for its segments.
  const isMatched = segments.length === texts.length
  const links = [{ text: 'Api Root', href: endUrl(`${view.root}/`, view.urlEnd) }]
  let before = ''
  for (const [index, text] of texts.entries()) {
    const shown = before + ((isMatched ? names[index] : undefined) ?? decodeSegment(text))
    const hasView = !isMatched || segments[index]!.view !== undefined
    if (hasView)
      links.push({ text: shown, href: endUrl(`${view.root}/${texts.slice(0, index + 1).join('/')}/`, view.urlEnd) })
    before = hasView ? '' : `${shown}/`
  }
  return links
}

/** The name of the object that the page shows; undefined if its view declares no field for it, and after an error. */
export const findShownName = ({ view, status }: PageContext, body: unknown): string | undefined =>
  status < 300 ? findName(view, body) : undefined

function findName({ objectName, envelope }: View, body: unknown): string | undefined {
  const name = objectName === undefined ? undefined : readObject(body, envelope)[objectName]
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}

// The name as a GET of the object shows it to this caller.
function readName({ requestContext, status }: PageContext, above: View): MaybePromise<string | undefined> {
  const view = above.forMethod('GET')
  const handle = view.handlers.get('GET')
  if (view.objectName === undefined || handle === undefined || requestContext === undefined || status >= 500)
    return undefined
  return readNameAt({ ...createContextAt(requestContext, view), method: 'GET', requestBody: emptyBody }, view, handle)
}

async function readNameAt(context: HandlerContext, view: View, handle: Handler): Promise<string | undefined> {
  try {
    if (!(await isPermitted(context, view.permissions))) return undefined
    return findName(view, parseIntegers(formatBody((await handle(context)).body)))
  } catch (error) {
    if (error instanceof APIException) return undefined
    throw error
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
