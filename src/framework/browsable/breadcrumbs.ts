// The links from the root of an API to a page, one per segment of its path. A parameter of the path is shown as the name of
// the object that it identifies. Segments without a view belong to the next link: `sales/2026`.

import { readObject } from '../envelope/read-data.ts'
import { APIException } from '../errors/exceptions.ts'
import { parseIntegers } from '../exact-json.ts'
import { emptyBody } from '../parsers/request-body.ts'
import { isPermitted } from '../permissions/permission.ts'
import { formatBody } from '../response.ts'
import { endUrl } from '../urls/trailing-slash.ts'
import type { View } from '../view.ts'
import type { PageLink } from './layout.ts'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'
import { createContextAt } from './view-above.ts'

/** `body`: the body of the response, as data. */
export async function createBreadcrumbs(context: PageContext, body: unknown): Promise<readonly PageLink[]> {
  const { view } = context
  const segments = pagePath(context).slice(view.root.length).split('/').filter(Boolean)
  const patterns = view.path.split('/').filter(Boolean)
  // The view of an unknown URL has no pattern for its segments.
  const isMatched = patterns.length === segments.length
  const crumbs = segments.map(async (segment, index) => {
    const isPage = index === segments.length - 1
    const above = isPage || !isMatched ? view : view.findView(`/${patterns.slice(0, index + 1).join('/')}/`)
    const isObject = isMatched && patterns[index]!.startsWith(':')
    const name = isObject && above && (isPage ? findShownName(context, body) : await readName(context, above))
    return {
      text: name || decodeSegment(segment),
      href: endUrl(`${view.root}/${segments.slice(0, index + 1).join('/')}/`, view.urlEnd),
      hasView: above !== undefined,
    }
  })
  return [
    { text: 'Api Root', href: endUrl(`${view.root}/`, view.urlEnd) },
    ...joinWithoutView(await Promise.all(crumbs)),
  ]
}

interface Crumb extends PageLink {
  readonly hasView: boolean
}

function joinWithoutView(crumbs: readonly Crumb[]): readonly PageLink[] {
  const links: PageLink[] = []
  let before = ''
  for (const { text, href, hasView } of crumbs) {
    if (hasView) links.push({ text: before + text, href })
    before = hasView ? '' : `${before}${text}/`
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
async function readName({ requestContext, status }: PageContext, above: View): Promise<string | undefined> {
  const view = above.forMethod('GET')
  const handle = view.handlers.get('GET')
  if (view.objectName === undefined || handle === undefined || requestContext === undefined || status >= 500)
    return undefined
  const context = { ...createContextAt(requestContext, view), method: 'GET', requestBody: emptyBody }
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
