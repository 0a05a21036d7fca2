// Where a page is, as its client sees it.

import { originForm } from '../urls/routing.ts'
import type { PageContext } from './page-context.ts'

/** Path and query of the page. It begins with one slash: with two, it would name another host. */
export function pageUrl({ view, request }: Pick<PageContext, 'view' | 'request'>): string {
  const { url } = request
  const own = /^\/(?![/\\])/.test(url) ? url : originForm(url).replace(/^[/\\]*/, '/')
  return own.startsWith(view.prefix) ? view.root + own.slice(view.prefix.length) : own
}

/** The path of the page. */
export const pagePath = (context: Pick<PageContext, 'view' | 'request'>): string => pageUrl(context).split('?', 1)[0]!
