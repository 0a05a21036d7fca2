// What stands above the JSON of a list.

import { isSafe } from '../permissions/permission.ts'
import { bulkDelete, mayDeleteAny } from './bulk-delete.ts'
import type { KeptHtml } from './kept-html.ts'
import { askedList, listControls } from './list-controls.ts'
import type { PageBody } from './page-body.ts'
import type { PageContext } from './page-context.ts'
import { pageUrl } from './page-url.ts'
import type { PageLinks } from './pages-of-list.ts'
import { type ListedObject, listTable } from './table.ts'

export interface ListPage {
  readonly controlsHtml: string
  /** Empty where nothing is listed. */
  readonly tableHtml: string
}

const nothing: ListPage = { controlsHtml: '', tableHtml: '' }

/** The parts of an answer that lists something, or refuses what the list was asked for. */
export async function listPage(
  context: PageContext,
  { json, body, exact }: PageBody,
  { links, kept }: { readonly links: PageLinks | undefined; readonly kept: KeptHtml },
): Promise<ListPage> {
  const { view, request, status, requestContext } = context
  const { listMetadata } = view
  if (listMetadata === undefined || !isSafe(request.method) || (status !== 200 && status !== 400)) return nothing
  const url = pageUrl(context)
  const asked = () => ({ listing: listMetadata, root: view.root, ...askedList(url, links) })
  if (status !== 200 || objectsOf(body).length === 0) return { controlsHtml: listControls(asked()), tableHtml: '' }
  const own = view.viewAt(`${listMetadata.path}:key/`)
  const isChosenFrom = await mayDeleteAny(own, requestContext)
  const hasPages = own?.handlers.has('GET') ?? false
  return kept.of(json, `${view.root}${view.path} ${url} ${hasPages} ${isChosenFrom}`, () => {
    const list = { ...asked(), objects: objectsOf(exact()), hasPages, isChosenFrom }
    const tableHtml = listTable(list, view.name)
    return { controlsHtml: listControls(list), tableHtml: isChosenFrom ? bulkDelete(tableHtml) : tableHtml }
  })
}

function objectsOf(body: unknown): readonly ListedObject[] {
  const items = Array.isArray(body) ? body : Object(body).results
  const isList = Array.isArray(items) && items.every(item => typeof item === 'object' && item !== null)
  return isList ? items : []
}
