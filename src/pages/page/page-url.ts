// The URL of a page, as the client sees it.

import { memoize, splitQuery } from '#core'
import type { PageContext } from './page-context.ts'

export { clientPath as pagePath, clientUrl as pageUrl } from '#core'

/** The parameters of the page's URL, shared with other pages: do not change them. */
export const pageQuery = ({ request }: Pick<PageContext, 'request'>): URLSearchParams =>
  parseQuery(splitQuery(request.url)[1])

// The parts of a page read the same query.
const parseQuery = memoize(text => new URLSearchParams(text), { maxEntries: 20, maxLength: 500 })
