// Where a page is, as its client sees it.

import type { RenderContext } from '../renderers/renderer.ts'
import { originForm } from '../urls/routing.ts'

/** Path and query of the page. It begins with one slash: with two, it would name another host. */
export function pageUrl({ view, request }: Pick<RenderContext, 'view' | 'request'>): string {
  const { url } = request
  const own = /^\/(?![/\\])/.test(url) ? url : originForm(url).replace(/^[/\\]*/, '/')
  return own.startsWith(view.prefix) ? view.root + own.slice(view.prefix.length) : own
}

/** The path of the page. */
export const pagePath = (exchange: Pick<RenderContext, 'view' | 'request'>): string =>
  pageUrl(exchange).split('?', 1)[0]!
