// The page that asks for confirmation before an object is deleted: `?delete`. If the object has a view `deletion`, such as in the
// administration, the page counts what is deleted with it. It works without a script.

import { html } from 'ghtml'
import type { DeletionCounts, Form } from '#core'
import { formatMethodUrl, tokenInput } from '../forms/forms.ts'
import { deletionParameter } from '../gateway/page-form.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { offersUndo } from '../page/offers-undo.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageQuery } from '../page/page-url.ts'
import { readViewBelow } from '../page/read-view.ts'

export { deletionParameter } from '../gateway/page-form.ts'

/** Whether the caller has opened the page, and may delete the object. */
export const asksForDeletion = (context: PageContext, forms: Readonly<Record<string, Form>>): boolean =>
  context.error === undefined && forms.DELETE !== undefined && pageQuery(context).has(deletionParameter)

/** `match`: the value of `If-Match` in the form of the page, if the resource asks for it. */
export interface DeletionForm {
  readonly csrfToken: string | undefined
  readonly match: string | undefined
}

/** The middle of the page. */
export async function deletionPage(context: PageContext, { csrfToken, match }: DeletionForm): Promise<string> {
  const { words } = context
  const path = pagePath(context)
  const counts = readCounts(await readViewBelow(context, 'deletion'))
  const isPrevented = counts !== undefined && counts.prevents.length > 0
  return html`!${isPrevented ? '' : html`<p class="lead">${words(await findLead(context))}</p>`}
!${counts === undefined ? '' : preventsHtml(counts, ofOne, context) + countsHtml(counts, ofOne, context)}<form method="post" action="${formatMethodUrl(path, 'DELETE', match)}">
!${tokenInput(csrfToken)}<p class="send"><button class="danger" !${isPrevented ? 'disabled' : ''}>${words('page.delete_now')}</button> <a class="button" href="${path}">${words('page.cancel')}</a></p>
</form>
`
}

async function findLead({ view, requestContext }: PageContext): Promise<PageKey> {
  const list = view.findView(view.path.replace(/[^/]+\/$/, ''))
  const isUndone =
    requestContext !== undefined && list?.listMetadata !== undefined && (await offersUndo(requestContext, list))
  return isUndone ? 'page.delete_undo' : 'page.delete_final'
}

// An application may have a view of its own with this name.
function readCounts(body: unknown): DeletionCounts | undefined {
  const counts = Object(body) as DeletionCounts
  return [counts.deletes, counts.changes, counts.prevents].every(Array.isArray) ? counts : undefined
}

type CountKeys = Readonly<Record<'changes' | 'prevents' | 'files', PageKey>>

const ofOne: CountKeys = {
  changes: 'page.delete_changes',
  prevents: 'page.delete_prevented',
  files: 'page.delete_files',
}

/** The words of a page that deletes several objects. */
export const ofSeveral: CountKeys = {
  changes: 'page.bulk_changes',
  prevents: 'page.bulk_prevented',
  files: 'page.bulk_files',
}

/** The HTML of what prevents a deletion; empty if that is nothing. */
export const preventsHtml = ({ prevents }: DeletionCounts, keys: CountKeys, context: PageContext): string =>
  countList(
    context.words(keys.prevents),
    prevents.map(count => countText(count, context)),
  )

/** The HTML of what a deletion affects; empty if that is nothing. */
export function countsHtml({ deletes, changes, files }: DeletionCounts, keys: CountKeys, context: PageContext): string {
  const { words } = context
  const also = deletes.map(count => countText(count, context))
  if (files > 0) also.push(words(keys.files, { count: files }))
  return [
    countList(words('page.delete_also'), also),
    countList(
      words(keys.changes),
      changes.map(count => countText(count, context)),
    ),
  ].join('')
}

function countText(
  { name, resource, count, has_more: hasMore }: DeletionCounts['deletes'][number],
  { view, words }: PageContext,
): string {
  const named = resource === null ? undefined : view.findView(`/${resource}/`)?.resource
  const title = words.list(named ?? { name: (resource ?? name).replaceAll('_', '-') })
  return `${title}: ${hasMore ? words('page.more_than', { count }) : count}`
}

const countList = (heading: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : html`<p>${heading}</p>
<ul class="counts">!${lines.map(line => html`<li>${line}</li>`)}</ul>
`
