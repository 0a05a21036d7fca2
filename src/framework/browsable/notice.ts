// The notice that the request before this page has saved or deleted an object. A redirect cannot say this itself.

import { html } from 'ghtml'
import { formatCookie, readCookie } from '../authentication/cookies.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { type Notice, noticeCookie } from '../page-form.ts'
import { isSafe } from '../permissions/permission.ts'
import type { PageContext } from './page-context.ts'

const texts: Readonly<Record<Notice, PageKey>> = { saved: 'page.saved', deleted: 'page.deleted', done: 'page.done' }

/** The notice of the page, and the cookie that removes it from the next one; undefined if there is none. */
export function readNotice({
  request,
  requestContext,
  words,
}: PageContext): { readonly html: string; readonly setCookie: string } | undefined {
  if (requestContext === undefined || !isSafe(request.method)) return undefined
  const notice = readCookie(request, noticeCookie)
  if (notice === undefined || !Object.hasOwn(texts, notice)) return undefined
  const removed = { name: noticeCookie, value: '', maxAge: 0, httpOnly: true }
  return {
    html: html`<p class="notice" role="status">${words(texts[notice as Notice])}</p>
`,
    setCookie: formatCookie(removed, requestContext.baseUrl),
  }
}
