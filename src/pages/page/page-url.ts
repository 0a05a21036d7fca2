// The URL of a page, as the client sees it.

import { splitQuery } from '#core'
import type { PageContext } from './page-context.ts'

export { clientPath as pagePath, clientUrl as pageUrl } from '#core'

/** The parameters of the page's URL. */
export const pageQuery = ({ request }: Pick<PageContext, 'request'>): URLSearchParams =>
  new URLSearchParams(splitQuery(request.url)[1])
