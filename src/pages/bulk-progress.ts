// The page between the parts of an action for many objects. The script sends its form again and again; without it, a person does. The
// button that stops the action leads to the list, whose notice says for how many objects it has run.

import { html } from 'ghtml'
import { csrfField } from '#core'
import type { BulkAction } from './bulk/bulk-actions.ts'
import { formatBulkHeading, formatBulkUrl } from './bulk/bulk-page.ts'
import { type BulkResult, formatResult, listRefusals } from './bulk/bulk-result.ts'
import { formatSelection } from './bulk/bulk-selection.ts'
import { bulkParameter, confirmedField, resultField, selectedField, stopField } from './gateway/bulk-names.ts'
import type { PageLink } from './page/browsable-page.ts'
import { findListPath } from './page/find-list-path.ts'
import { PageBody } from './page/page-body.ts'
import type { PageContext } from './page/page-context.ts'

/** An action that has run for some of its objects. */
export interface UnfinishedAction {
  readonly action: BulkAction
  /** The form of the first request. */
  readonly form: URLSearchParams
  readonly result: BulkResult
  /** The paths of the objects for which it has not run. */
  readonly remaining: readonly string[]
  /** The URL of the list, to which the last part leads. */
  readonly location: string
  /** The links from the home page to the list. */
  readonly above: readonly PageLink[]
}

/** The page: how far the action is, and a form that runs it for further objects. */
export function bulkProgress(
  { action, form, result, remaining, location, above }: UnfinishedAction,
  context: Pick<PageContext, 'view' | 'request' | 'words'>,
): PageBody {
  const { view, words } = context
  const count = result.done + result.refused
  const total = count + remaining.length
  const fields = [csrfField, ...Object.keys(action.asked)].flatMap(name =>
    form.getAll(name).map((value): [string, string] => [name, value]),
  )
  const inputs = [
    ...fields,
    [bulkParameter, action.name],
    [confirmedField, '1'],
    [resultField, formatResult(result)],
    [selectedField, formatSelection(remaining, findListPath(context, view.listMetadata!))],
  ] as const
  const lines = listRefusals(result, words)
  const text = words('page.bulk_progress', { done: count, count: total })
  const mainHtml = html`<form class="action" method="post" action="${formatBulkUrl(context)}" data-continue="${location}">
<div role="status"><p class="lead">${text}</p>
<progress value="${count}" max="${total}" aria-label="${text}"></progress>
<p class="help">${words('page.bulk_stop_help', { count: remaining.length })}</p>
!${lines.length === 0 ? '' : html`<ul class="counts">!${lines.map(line => html`<li>${line}</li>`)}</ul>`}
!${inputs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}</div>
<p class="send"><button class="primary">${words('page.bulk_go')}</button> <button name="${stopField}" value="1">${words('page.bulk_stop')}</button></p>
</form>
`
  return new PageBody({
    heading: formatBulkHeading(action, context),
    above: above.slice(1),
    mainHtml,
  })
}
