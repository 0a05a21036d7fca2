// The URL of a page, as the client sees it.

import { memoize } from '../../core/base/memoize.ts'
import { splitQuery } from '../../core/http/urls/routing.ts'
import type { PageContext } from './page-context.ts'

export { clientPath as pagePath, clientUrl as pageUrl } from '../../core/http/urls/client-url.ts'

/** The parameters of the page's URL, shared with other pages: do not change them. */
export const pageQuery = ({ request }: Pick<PageContext, 'request'>): URLSearchParams =>
  parseQuery(splitQuery(request.url)[1])

// The parts of a page read the same query.
const parseQuery = memoize(text => new URLSearchParams(text), { maxEntries: 20, maxLength: 500 })
