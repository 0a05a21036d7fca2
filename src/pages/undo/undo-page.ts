// The page that asks before a change of an object is taken back: what the object has now, and what it gets again.

import { html } from 'ghtml'
import { formatMethodUrl, tokenInput } from '../forms/forms.ts'
import { undoParameter } from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import { changedFields } from '../object/history-changes.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageQuery } from '../page/page-url.ts'
import { readObject } from '../page/read-data.ts'
import { findOldValues, type OldValues } from './old-values.ts'
import type { LoggedChange } from './read-changes.ts'
import { findChange } from './undo-change.ts'

/** The change that the page asks about, and what of it can be taken back; undefined for another page. */
export async function findUndone(
  context: PageContext,
): Promise<{ readonly change: LoggedChange; readonly old: OldValues } | undefined> {
  const id = pageQuery(context).get(undoParameter)
  const { view, requestContext, request, error } = context
  if (id === null || requestContext === undefined || request.method !== 'GET' || error !== undefined) return undefined
  const change = await findChange(requestContext, view, 'PATCH', id)
  return change && { change, old: await findOldValues(change, view, 'PATCH', requestContext) }
}

/** A form that takes a change back. */
export interface UndoForm {
  readonly csrfToken: string | undefined
  /** The value of `If-Match`. */
  readonly match: string | undefined
}

/** The middle of the page. `body`: the object as the page shows it. */
export async function undoPage(
  { change, old }: { readonly change: LoggedChange; readonly old: OldValues },
  body: unknown,
  context: PageContext,
  form: UndoForm,
): Promise<string> {
  const { words, view } = context
  const object = readObject(body, view.envelope)
  const names = Object.keys(old.fields)
  const changes = Object.fromEntries(names.map(name => [name, { old: object[name], new: change.changes[name]!.old }]))
  const label = (name: string) => words.label(name, view.objectMetadata?.fields[name] ?? { label: undefined })
  const labels = old.kept.map(label).join(', ')
  const path = pagePath(context)
  const button =
    names.length === 0
      ? ''
      : html`!${tokenInput(form.csrfToken)}<button class="primary">${words('page.undo_restore')}</button> `
  return html`<p class="lead">${words(names.length === 0 ? 'page.undo_nothing' : 'page.undo_lead')}</p>
<div class="history"><ul><li>!${await changedFields(changes, view, context)}</li></ul></div>
!${labels === '' ? '' : html`<p class="help">${words('page.undo_kept', { names: labels })}</p>`}<form class="action" method="post" action="${formatMethodUrl(`${path}?${undoParameter}=${change.id}`, 'PATCH', form.match)}">
<p class="send">!${button}<a class="button" href="${path}">${words('page.cancel')}</a></p>
</form>
`
}

/** The button *Undo* of a notice. `inputs`: further fields of its form. */
export const undoButton = (
  url: string,
  { csrfToken }: Pick<UndoForm, 'csrfToken'>,
  words: Words,
  inputs: readonly (readonly [string, string])[] = [],
): string =>
  html`<form class="undo" method="post" action="${url}">!${tokenInput(csrfToken)}!${inputs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${words('page.undo')}</button></form>`
