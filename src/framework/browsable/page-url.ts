// The URL of a page, as the client sees it.

import { originForm } from '../urls/routing.ts'
import type { PageContext } from './page-context.ts'

/** Path and query of the page. It begins with exactly one slash, because browsers read `//name` as a host name. */
export function pageUrl({ view, request }: Pick<PageContext, 'view' | 'request'>): string {
  const { url } = request
  const path = /^\/(?![/\\])/.test(url) ? url : originForm(url).replace(/^[/\\]*/, '/')
  return path.startsWith(view.prefix) ? view.root + path.slice(view.prefix.length) : path
}

/** The path of the page, without its query. */
export const pagePath = (context: Pick<PageContext, 'view' | 'request'>): string => pageUrl(context).split('?', 1)[0]!
