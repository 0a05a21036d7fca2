// The request line, the status, the relevant response headers and the response body.

import { html } from 'ghtml'
import { type HeaderFields, STATUS_CODES } from '#core'
import { jsonView } from './html/json-view.ts'
import { formatUrl } from './object/page-actions.ts'
import type { PageContext } from './page/page-context.ts'
import { pageUrl } from './page/page-url.ts'
import { readItems } from './page/read-data.ts'
import { maxItems, type ResponseData } from './page/response-data.ts'

/** The limits of the JSON of a list, in UTF-16 units. It shows the first objects only, because the table has all of them. */
const listLimits = { maxText: 300, maxSize: 3 * 1024 }

export function responseSection(
  context: PageContext,
  { body, exact, isTruncated: isListTruncated }: ResponseData,
  headers: HeaderFields,
): string {
  const { request, status, view: declared, words } = context
  const isList = readItems(body, declared.envelope) !== undefined
  const view = jsonView(exact(), isList ? listLimits : {})
  const notice = isListTruncated || view.isTruncated ? truncationNotice(context, isListTruncated) : ''
  return html`<section class="response" aria-label="${words('page.response')}" tabindex="-1">
<p class="request"><code><b class="method ${request.method.toLowerCase()}">${request.method}</b> ${pageUrl(context)}</code></p>
<pre class="head"><strong>HTTP ${status} ${STATUS_CODES[status] ?? ''}</strong>!${headerLines(headers)}</pre>
<pre class="body" tabindex="0" role="region" aria-label="${words('page.body')}">!${view.html}</pre>
</section>
!${notice}`
}

function truncationNotice(context: PageContext, isListTruncated: boolean): string {
  const url = formatUrl(context, 'json')
  const { words } = context
  const link = url === undefined ? '' : html` <a href="${url}">${words('page.complete_json')}</a>.`
  const text = isListTruncated ? words('page.first_items', { count: maxItems }) : words('page.response_cut')
  return html`<p class="truncated">${text}!${link}</p>
`
}

// The headers that the JSON response has too; headers of the HTML page alone are not shown.
const shownHeaders: Readonly<Record<string, string>> = {
  allow: 'Allow',
  link: 'Link',
  location: 'Location',
  ratelimit: 'RateLimit',
  'ratelimit-policy': 'RateLimit-Policy',
  'retry-after': 'Retry-After',
  vary: 'Vary',
  'www-authenticate': 'WWW-Authenticate',
}

function headerLines(headers: HeaderFields): string {
  let lines = ''
  for (const name in shownHeaders) {
    const value = headers[name]
    if (value === undefined) continue
    lines += `\n<b>${shownHeaders[name]}</b>: ${headerValue(name, typeof value === 'string' ? value : value.join(', '))}`
  }
  return lines
}

const headerValue = (name: string, value: string): string =>
  name === 'location' && /^(?:https?:\/\/|\/(?![/\\]))/.test(value)
    ? html`<a href="${value}">${value}</a>`
    : html`${value}`
