// What was asked and what was answered: the request line, the status, the header fields that say something, the body.

import { html } from 'ghtml'
import { joinLayers, parseExactly } from '../answer.ts'
import { STATUS_CODES } from '../http.ts'
import type { Exchange } from '../renderers/renderer.ts'
import { jsonView } from './json-view.ts'
import type { KeptHtml } from './kept-html.ts'
import { mostItems, type PageBody } from './page-body.ts'
import { pageUrl } from './page-url.ts'
import { formatUrl } from './toolbar.ts'

/** Of a list's items, less is shown. */
const longestText = 300

/** Where a table shows the body already, its JSON is there for whoever opens it. */
export function answerSection(
  exchange: Exchange,
  { json, body, isCut: isStreamCut }: PageBody,
  { kept, isInTable }: { readonly kept: KeptHtml; readonly isInTable: boolean },
): string {
  const { request, status, headers } = exchange
  const isList = Array.isArray(body) || Array.isArray(Object(body).results)
  const view = kept.of(json, isList ? 'list' : 'answer', () =>
    jsonView(parseExactly(json), isList ? { longestText } : {}),
  )
  const bodyHtml = html`<pre class="body" tabindex="0" role="region" aria-label="Body">!${view.html}</pre>`
  return html`<section class="answer" aria-label="Answer" tabindex="-1">
<p class="request"><code>${request.method} ${pageUrl(exchange)}</code></p>
<pre class="head"><b>HTTP ${status} ${STATUS_CODES[status] ?? ''}</b>!${headerLines(headers)}</pre>
!${isInTable ? html`<details><summary>JSON</summary>!${bodyHtml}</details>` : bodyHtml}
</section>
!${isStreamCut || view.isCut ? notice(exchange, isStreamCut) : ''}`
}

function notice(exchange: Exchange, isStreamCut: boolean): string {
  const url = formatUrl(exchange, 'json')
  const whole = url === undefined ? '' : html` <a href="${url}">All of it as JSON</a>.`
  const what = isStreamCut
    ? `Only the first ${mostItems} items of this list are shown, long ones in part.`
    : 'The answer is too long to be shown here in full.'
  return html`<p class="cut">${what}!${whole}</p>
`
}

// Those that say something of the answer, not of the page around it.
const shownFields = new Set([
  'allow',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'www-authenticate',
])

const headerLines = (headers: Exchange['headers']): string =>
  Object.entries(joinLayers(headers))
    .filter(([name]) => shownFields.has(name))
    .map(
      ([name, value]) =>
        `\n${html`<span class="name">${titleCase(name)}</span>: `}${fieldValue(name, [value].flat().join(', '))}`,
    )
    .join('')

const fieldValue = (name: string, value: string): string =>
  name === 'location' && /^(?:https?:\/\/|\/(?![/\\]))/.test(value)
    ? html`<a href="${value}">${value}</a>`
    : html`${value}`

const acronyms: Readonly<Record<string, string>> = {
  ratelimit: 'RateLimit',
  'ratelimit-policy': 'RateLimit-Policy',
  'www-authenticate': 'WWW-Authenticate',
}

const titleCase = (name: string): string =>
  acronyms[name] ?? name.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
