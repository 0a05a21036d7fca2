// The notice that the request before this page has saved or deleted an object. A redirect cannot say this itself.

import { html } from 'ghtml'
import { formatCookie, readCookie } from '../authentication/cookies.ts'
import { noticeCookie } from '../page-form.ts'
import { isSafe } from '../permissions/permission.ts'
import type { PageContext } from './page-context.ts'

/** The notice of the page, and the cookie that removes it from the next one; undefined if there is none. */
export function readNotice({
  request,
  requestContext,
  words,
}: PageContext): { readonly html: string; readonly setCookie: string } | undefined {
  if (requestContext === undefined || !isSafe(request.method)) return undefined
  const notice = readCookie(request, noticeCookie)
  if (notice !== 'saved' && notice !== 'deleted') return undefined
  const removed = { name: noticeCookie, value: '', maxAge: 0, httpOnly: true }
  return {
    html: html`<p class="notice" role="status">${notice === 'saved' ? words('page.saved') : words('page.deleted')}</p>
`,
    setCookie: formatCookie(removed, requestContext.baseUrl),
  }
}
