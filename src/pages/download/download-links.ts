// The links of a list's page to the list as a file.

import { html } from 'ghtml'
import { formatCount } from '../html/format-value.ts'
import { formatUrl } from '../object/page-actions.ts'
import type { PageContext } from '../page/page-context.ts'
import { downloadFormats, findMaxRows } from './download.ts'

/** The HTML of the links; empty if nothing can be downloaded. */
export function downloadLinks(context: PageContext, maxDownloadRows: number | undefined): string {
  const { words } = context
  const options = maxDownloadRows === undefined ? {} : { maxDownloadRows }
  const links = downloadFormats.flatMap(format => {
    const [url, max] = [formatUrl(context, format), findMaxRows(options, format)]
    if (url === undefined || max === 0) return []
    const help = words('page.download_help', { max: formatCount(max, words.language) })
    const label = format === 'csv' ? 'CSV' : 'Excel'
    return html`<a href="${url}" title="${help}" download>${label}</a>`
  })
  return links.length === 0
    ? ''
    : html`<p class="downloads">${words('page.download')}: !${links.join(' &middot; ')}</p>
`
}
