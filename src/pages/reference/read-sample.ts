// Reads what the caller may read of a resource: its list, and the first object. Examples show it. The requests have the caller's own
// permissions and row filters; a caller whom the list refuses gets made-up examples.

import {
  type ApiResponse,
  endUrl,
  formatBody,
  JsonStream,
  logError,
  loggableError,
  narrowListMetadata,
  type RequestContext,
  type SiteApi,
  type View,
} from '#core'
import { findObjectPath } from '../list/table.ts'
import { readItems } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import { createContextIn } from '../page/view-above.ts'
import type { ListedObject } from '../values/list-columns.ts'
import type { Sample } from './operation-example.ts'

/** `path`: that of the list, or of the one object, below the API of the document. */
export async function readSample(context: RequestContext, path: string): Promise<Sample> {
  const list = findList(context.view as View, path)
  if (list === undefined) return {}
  try {
    return await readFound(context, list)
  } catch (error) {
    // Without the example, the page is still of use.
    logError('error', context.request, loggableError(error), 'reading an example failed')
    return {}
  }
}

interface FoundView {
  readonly api: SiteApi<View>
  readonly view: View
}

function findList({ prefix, listApis }: View, path: string): FoundView | undefined {
  const whole = prefix + (path.endsWith('/') ? path : `${path}/`)
  return listApis()
    .filter(api => whole.startsWith(`${api.prefix}/`))
    .toSorted((left, right) => right.prefix.length - left.prefix.length)
    .flatMap(api => {
      const view = api.findView(whole.slice(api.prefix.length))
      return view?.resource === undefined || !view.handlers.has('GET') ? [] : [{ api, view }]
    })[0]
}

async function readFound(context: RequestContext, { api, view }: FoundView): Promise<Sample> {
  const body = await readBody(context, { api, view }, {})
  const { listMetadata } = view
  if (listMetadata === undefined || body === undefined) return body === undefined ? {} : { object: body }
  const items = readItems(body, view.envelope) ?? []
  const listPath = `${api.root}${view.path}`
  const path = findObjectPath(Object(items[0]) as ListedObject, {
    listPath,
    urlEnd: api.urlEnd,
    listMetadata: narrowListMetadata(listMetadata, context),
  })
  const list = shorten(body, items)
  const detail = api.findView(view.path + listMetadata.objectPattern)
  if (path === undefined || items.length === 0) return { list }
  const segments = path.slice(listPath.length).replace(/\/$/, '').split('/').map(decodeURIComponent)
  const names = listMetadata.objectPattern.match(/[^:/]+/g) ?? []
  const parameters = Object.fromEntries(names.map((name, index) => [name, segments[index]!]))
  const key = segments.join('/')
  const object = detail?.handlers.has('GET') ? await readBody(context, { api, view: detail }, parameters) : items[0]
  return { list, key, object: object ?? items[0] }
}

const maxItems = 2

const shorten = (body: unknown, items: readonly unknown[]): unknown =>
  Array.isArray(body)
    ? body.slice(0, maxItems)
    : Object.fromEntries(
        Object.entries(Object(body)).map(([name, value]) => [name, value === items ? items.slice(0, maxItems) : value]),
      )

// The body as data; undefined if the caller may not read it.
async function readBody(
  context: RequestContext,
  { api, view }: FoundView,
  params: Readonly<Record<string, string>>,
): Promise<unknown> {
  const path = view.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const response = await readView(createContextIn(context, api, endUrl(path, api.urlEnd), params), view)
  return response && readData(response)
}

async function readData({ body }: ApiResponse): Promise<unknown> {
  if (!(body instanceof JsonStream)) return JSON.parse(formatBody(body))
  for await (const portion of body.portions) {
    const items = portion.slice(0, maxItems).map(item => JSON.parse(item))
    return body.name === undefined ? items : { [body.name]: items }
  }
  return []
}
