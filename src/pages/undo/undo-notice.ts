// The button *Undo* of the notice after a change, an action or a deletion. It is there if the log has what the caller has just done.

import { listAllowedForms } from '#core'
import { formatBulkUrl } from '../bulk/bulk-page.ts'
import { formatMethodUrl } from '../forms/forms.ts'
import { bulkParameter, changeField, selectedField, sinceField, undoAction } from '../gateway/bulk-names.ts'
import { undoParameter } from '../gateway/page-form.ts'
import type { PageContext } from '../page/page-context.ts'
import { isObjectView } from '../page/page-title.ts'
import { pagePath } from '../page/page-url.ts'
import { findOldValues } from './old-values.ts'
import { readActivity, readHistory } from './read-changes.ts'
import { type UndoForm, undoButton } from './undo-page.ts'

/** The button after a change of these fields of the page's object; empty if it cannot be taken back. */
export async function undoChangeButton(
  context: PageContext,
  names: readonly string[],
  form: UndoForm,
): Promise<string> {
  const { view, requestContext, status, words } = context
  if (requestContext === undefined || status !== 200 || names.length === 0 || !isObjectView(view)) return ''
  if ((await listAllowedForms(requestContext, view)).PATCH === undefined) return ''
  const [last] = await readHistory(requestContext, view, {})
  const { user } = requestContext
  const isOwn = user.isAuthenticated && last?.user === user.username && last.action === 'update'
  if (!isOwn || !names.every(name => Object.hasOwn(last.changes, name))) return ''
  const { fields } = await findOldValues(last, view, 'PATCH', requestContext)
  if (Object.keys(fields).length === 0) return ''
  return undoButton(
    formatMethodUrl(`${pagePath(context)}?${undoParameter}=${last.id}`, 'PATCH', form.match),
    form,
    words,
  )
}

/** The button after the deletion of this number of objects of the page's list; empty if they cannot be brought back. */
export async function undoDeletionButton(context: PageContext, count: number, form: UndoForm): Promise<string> {
  const { view, requestContext, status, words } = context
  if (requestContext === undefined || status !== 200 || view.listMetadata === undefined || count === 0) return ''
  if ((await listAllowedForms(requestContext, view)).POST === undefined) return ''
  const last = (await readActivity(requestContext, view, {})).slice(0, count)
  if (last.length < count || last.some(({ action }) => action !== 'destroy')) return ''
  const inputs = last.map(({ id }) => [changeField, String(id)] as const)
  return undoButton(formatBulkUrl(context), form, words, [[bulkParameter, undoAction], ...inputs])
}

/** The button after a change of several objects of the page's list. `since`: the last change before; `selection`: the objects. */
export function undoSelectionButton(context: PageContext, since: string, selection: string, form: UndoForm): string {
  const inputs = [
    [bulkParameter, undoAction],
    [sinceField, since],
    [selectedField, selection],
  ] as const
  return undoButton(formatBulkUrl(context), form, context.words, inputs)
}
