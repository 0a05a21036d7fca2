import { addSlash, formatBody, JsonStream, parseIntegers, type RequestContext, type View } from '#core'
import { readItems } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import type { ListedObject } from '../values/list-columns.ts'
import { findPaginationLinks } from '../values/pagination-links.ts'
import { findObjectPath } from './table.ts'

/** The paths of the objects on all pages of a list, at most `limit`. `url`: path and query of any page, below the prefix. */
export async function listAllPaths(
  view: View,
  context: RequestContext,
  url: string,
  limit: number,
): Promise<readonly string[]> {
  const listMetadata = view.listMetadata!
  const [path, query] = url.split('?', 2) as [string, string?]
  const parameters = [...new URLSearchParams(query)].filter(
    ([name]) => !Object.hasOwn(listMetadata.pageParameters, name),
  )
  const list = { listMetadata, listPath: addSlash(view.root + path.slice(view.prefix.length)), urlEnd: view.urlEnd }
  const paths = new Set<string>()
  let next: string | undefined = `?${new URLSearchParams(parameters)}`
  while (next !== undefined && paths.size < limit) {
    const request: RequestContext['request'] = Object.create(context.request, { url: { value: path + next } })
    const response = await readView({ ...context, request }, view)
    if (response?.body === undefined || response.body instanceof JsonStream) break
    const body = parseIntegers(formatBody(response.body))
    for (const item of readItems(body, view.envelope) ?? []) {
      const objectPath = findObjectPath(Object(item) as ListedObject, list)
      if (objectPath !== undefined) paths.add(objectPath)
    }
    const link = findPaginationLinks(body, response.headers ?? {}, view.envelope)?.next
    next = link === undefined ? undefined : URL.parse(link, context.baseUrl)?.search
  }
  return [...paths]
}
