// The URL of a page, as the client sees it.

import { splitQuery } from '../urls/routing.ts'
import type { PageContext } from './page-context.ts'

export { clientPath as pagePath, clientUrl as pageUrl } from '../urls/client-url.ts'

/** The parameters of the page's URL. */
export const pageQuery = ({ request }: Pick<PageContext, 'request'>): URLSearchParams =>
  new URLSearchParams(splitQuery(request.url)[1])
