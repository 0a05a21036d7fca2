// The notice that the request before this page has saved or deleted an object. A redirect cannot say this itself.

import { html } from 'ghtml'
import { formatCookie, readCookie } from '../authentication/cookies.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { type Notice, noticeCookie } from '../page-form.ts'
import { isSafe } from '../permissions/permission.ts'
import type { PageContext } from './page-context.ts'
import type { Words } from './words.ts'

// After an action for several objects, the notice has their numbers, and why the first of the others refused.
function formatNotice(notice: string, words: Words): string | undefined {
  if (Object.hasOwn(texts, notice)) return words(texts[notice as Notice])
  const [, done, failed, reason = ''] = /^bulk-(\d{1,6})-(\d{1,6})-([\w-]*)$/.exec(notice) ?? []
  if (done === undefined || failed === undefined) return undefined
  const failures =
    failed === '0'
      ? ''
      : ` ${words('page.bulk_failed', { count: failed, reason: Buffer.from(reason, 'base64url').toString() })}`
  return words('page.bulk_done', { count: done }) + failures
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
  const text = notice === undefined ? undefined : formatNotice(notice, words)
  if (text === undefined) return undefined
  const removed = { name: noticeCookie, value: '', maxAge: 0, httpOnly: true }
  return {
    html: html`<p class="notice" role="status" tabindex="-1" autofocus>${text}</p>
`,
    setCookie: formatCookie(removed, requestContext.baseUrl),
  }
}
