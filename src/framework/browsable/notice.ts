// The notice that the request before this page has saved or deleted an object. A redirect cannot say this itself.

import { html } from 'ghtml'
import { formatCookie, readCookie } from '../authentication/cookies.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { type Notice, noticeCookie } from '../page-form.ts'
import { isSafe } from '../permissions/permission.ts'
import { listRefusals, parseResult } from './bulk-result.ts'
import type { PageContext } from './page-context.ts'
import type { Words } from './words.ts'

// After an action for several objects, the notice has their numbers, and why others refused.
function formatNotice(notice: string, words: Words): readonly string[] | undefined {
  if (Object.hasOwn(texts, notice)) return [words(texts[notice as Notice])]
  const result = notice.startsWith('bulk-') ? parseResult(notice.slice('bulk-'.length)) : undefined
  return result && [words('page.bulk_done', { count: result.done }), ...listRefusals(result, words)]
}

const texts: Readonly<Record<Notice, PageKey>> = { saved: 'page.saved', deleted: 'page.deleted', done: 'page.done' }

/** The notice of the page, and the cookie that removes it from the next one; undefined if there is none. */
export function readNotice({
  request,
  requestContext,
  words,
}: PageContext): { readonly html: string; readonly setCookie: string } | undefined {
  if (requestContext === undefined || !isSafe(request.method)) return undefined
  const notice = readCookie(request, noticeCookie)
  const lines = notice === undefined ? undefined : formatNotice(notice, words)
  if (lines === undefined) return undefined
  const removed = { name: noticeCookie, value: '', maxAge: 0, httpOnly: true }
  return {
    html: html`<p class="notice" role="status" tabindex="-1" autofocus>!${lines.map(line => html`${line}`).join('<br>')}</p>
`,
    setCookie: formatCookie(removed, requestContext.baseUrl),
  }
}
