// What was asked and what was answered: the request line, the status, the header fields that say something, the body.

import { html } from 'ghtml'
import { STATUS_CODES } from '../http.ts'
import type { HeaderFields } from '../response.ts'
import { jsonView } from './json-view.ts'
import type { KeptHtml } from './kept-html.ts'
import { mostItems, type PageBody } from './page-body.ts'
import type { PageContext } from './page-context.ts'
import { pageUrl } from './page-url.ts'
import { formatUrl } from './toolbar.ts'

/** Of a list's items, less is shown. */
const longestText = 300

interface AnswerParts {
  readonly headers: HeaderFields
  readonly kept: KeptHtml
  readonly isInTable: boolean
}

/** Where a table shows the body already, its JSON is there for whoever opens it. */
export function answerSection(
  context: PageContext,
  { json, body, exact, isCut: isStreamCut }: PageBody,
  { headers, kept, isInTable }: AnswerParts,
): string {
  const { request, status } = context
  const isList = Array.isArray(body) || Array.isArray(Object(body).results)
  const view = kept.of(json, isList ? 'list' : 'answer', () => jsonView(exact(), isList ? { longestText } : {}))
  const bodyHtml = html`<pre class="body" tabindex="0" role="region" aria-label="Body">!${view.html}</pre>`
  return html`<section class="answer" aria-label="Answer" tabindex="-1">
<p class="request"><code>${request.method} ${pageUrl(context)}</code></p>
<pre class="head"><b>HTTP ${status} ${STATUS_CODES[status] ?? ''}</b>!${headerLines(headers)}</pre>
!${isInTable ? html`<details><summary>JSON</summary>!${bodyHtml}</details>` : bodyHtml}
</section>
!${isStreamCut || view.isCut ? notice(context, isStreamCut) : ''}`
}

function notice(context: PageContext, isStreamCut: boolean): string {
  const url = formatUrl(context, 'json')
  const whole = url === undefined ? '' : html` <a href="${url}">All of it as JSON</a>.`
  const what = isStreamCut
    ? `Only the first ${mostItems} items of this list are shown, long ones in part.`
    : 'The answer is too long to be shown here in full.'
  return html`<p class="cut">${what}!${whole}</p>
`
}

// Those that say something of the answer, not of the page around it.
const shownFields: Readonly<Record<string, string>> = {
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
  for (const name in shownFields) {
    const value = headers[name]
    if (value === undefined) continue
    lines += `\n<span class="name">${shownFields[name]}</span>: ${fieldValue(name, [value].flat().join(', '))}`
  }
  return lines
}

const fieldValue = (name: string, value: string): string =>
  name === 'location' && /^(?:https?:\/\/|\/(?![/\\]))/.test(value)
    ? html`<a href="${value}">${value}</a>`
    : html`${value}`
