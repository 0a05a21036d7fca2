// A list as a file: `?format=csv` or `?format=xlsx` at its URL. It has the objects of all pages, with the filters, the order, the
// columns and the rights of the page, and is sent while it is read, in constant memory.

import { Readable } from 'node:stream'
import {
  BadRequest,
  emptyBody,
  formatBody,
  formatDisposition,
  hasNames,
  JsonArray,
  JsonStream,
  joinLayers,
  type ListMetadata,
  listNamedValues,
  NotFound,
  narrowListMetadata,
  type ObjectNames,
  parseIntegers,
  type RenderContext,
  type RenderedBody,
  type RequestContext,
  type ResponseBody,
  splitQuery,
  timeSlices,
  type View,
} from '#core'
import { createWords, describeLanguage, type Words } from '../html/words.ts'
import { pageMessages } from '../messages/page-messages.ts'
import type { BrowsableOptions } from '../page/browsable-options.ts'
import { pageQuery } from '../page/page-url.ts'
import type { Column, ListedObject } from '../values/list-columns.ts'
import { findPaginationLinks } from '../values/pagination-links.ts'
import { csvType, findSeparator, formatCsv } from './csv.ts'
import { createDownloadColumns, type DownloadCell, type DownloadTable, listDownloaded } from './download-columns.ts'
import { excelType, formatExcel, hasExcel, maxExcelRows } from './excel.ts'

/** The values of `?format=` that download a list. */
export const downloadFormats: readonly string[] = hasExcel ? ['csv', 'xlsx'] : ['csv']

/** The most rows of a file in this format. */
export const findMaxRows = ({ maxDownloadRows = 100_000 }: BrowsableOptions, format: string): number =>
  format === 'xlsx' ? Math.min(maxDownloadRows, maxExcelRows) : maxDownloadRows

/**
 * Renders the response to `?format=csv` or `xlsx`: a list as a file; undefined for other formats and for errors. Throws NotFound
 * if the page is no list, and BadRequest if too many objects match.
 */
export async function renderDownload(
  body: ResponseBody,
  context: RenderContext<View>,
  site: BrowsableOptions,
): Promise<RenderedBody | undefined> {
  const { view, request, requestContext, status, headers } = context
  const format = readFormat(context)
  if (format === undefined || status >= 400 || request.method !== 'GET') return undefined
  const max = findMaxRows(site, format)
  if (view.listMetadata === undefined || requestContext === undefined || max === 0) throw new NotFound()
  checkCount(body, context, max)
  const words = createWords(view, request)
  const list = narrowListMetadata(view.listMetadata, requestContext)
  const query = listQuery(list, context)
  const table = await readTable({ list, query, requestContext, words, max })
  const title = words.list(view.resource ?? view)
  const isCsv = format === 'csv'
  const type = isCsv ? csvType : excelType
  return {
    body: isCsv
      ? Readable.from(formatCsv(table, findSeparator(words.language)), { objectMode: false })
      : await formatExcel(title, table),
    headers: {
      ...describeLanguage(words, joinLayers(headers)),
      'content-type': type,
      'content-disposition': formatDisposition(`${title}.${format}`, type),
    },
  }
}

/** The format of a download that the request names; undefined for others. */
export function readFormat({ view, request }: Pick<RenderContext<View>, 'view' | 'request'>): string | undefined {
  const { formatParam } = view
  const format = formatParam === null ? undefined : (request.query as Record<string, unknown> | null)?.[formatParam]
  return downloadFormats.find(name => name === format)
}

function checkCount(body: ResponseBody, { view, headers }: RenderContext<View>, max: number): void {
  if (body instanceof JsonStream || body instanceof JsonArray) return
  const links = findPaginationLinks(parseIntegers(formatBody(body)), joinLayers(headers), view.envelope)
  const count = links?.total?.count ?? 0
  if (count > max) throw new BadRequest(pageMessages('page.download_too_many', { max, count }))
}

// The parameters that filter, order and select. Expanded objects have names instead, so that no list has to be kept in memory.
function listQuery(list: ListMetadata, { view, request }: RenderContext<View>): URLSearchParams {
  const dropped: readonly (string | null)[] = [
    ...Object.keys(list.pageParameters),
    list.parameterNames.expand,
    view.formatParam,
  ]
  return new URLSearchParams([...pageQuery({ request })].filter(([name]) => !dropped.includes(name)))
}

interface TableSource {
  readonly list: ListMetadata
  readonly query: URLSearchParams
  readonly requestContext: RequestContext
  readonly words: Words
  readonly max: number
}

// The first portion, which may reject, is read before the response begins.
async function readTable({ list, query, requestContext, words, max }: TableSource): Promise<DownloadTable> {
  const { request } = requestContext
  const [path] = splitQuery(request.url)
  const own = Object.create(request, { method: { value: 'GET' }, url: { value: `${path}?${query}` } })
  const context = { ...requestContext, method: 'GET', request: own, requestBody: emptyBody }
  const { body } = await list.listAll({ ...context, setHeaders: () => undefined })
  const portions = parsePortions(body!)
  const first = await portions.next()
  const objects = first.done ? [] : first.value
  const shown = listDownloaded(list, query, objects.length === 0 ? [list.fields] : objects)
  const columns = createDownloadColumns(shown, words)
  const toRows = async (items: readonly ListedObject[]) => {
    const names = await readAllNames(shown, items, list, requestContext)
    return items.map(object => columns.map(column => column.read(object, names)))
  }
  async function* listRows(): AsyncGenerator<readonly (readonly DownloadCell[])[]> {
    try {
      let [items, left] = [objects, max]
      for (;;) {
        yield toRows(items.slice(0, left))
        if (items.length > left) return yield [[words('page.download_cut', { max })]]
        left -= items.length
        const next = await portions.next()
        if (next.done) return
        items = next.value
      }
    } finally {
      await portions.return(undefined)
    }
  }
  return { columns, portions: listRows() }
}

async function* parsePortions(body: ResponseBody): AsyncGenerator<readonly ListedObject[]> {
  const parse = (item: string) => parseIntegers(item) as ListedObject
  if (body instanceof JsonStream) for await (const items of body.portions) yield timeSlices.map(items, parse)
  else if (body instanceof JsonArray) yield timeSlices.map(body.items, parse)
}

// One statement per relation and portion.
async function readAllNames(
  columns: readonly Column[],
  objects: readonly ListedObject[],
  list: ListMetadata,
  context: RequestContext,
): Promise<ObjectNames> {
  const related = columns.filter(({ field }) => hasNames(field))
  const values = related.map(
    ({ name, field }) => [name, objects.flatMap(object => listNamedValues(field, object[name]))] as const,
  )
  return related.length === 0 ? {} : list.readNames(Object.fromEntries(values), context)
}
