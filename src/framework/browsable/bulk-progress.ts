// The page between the parts of an action for many objects. The script sends its form at once; without it, a person does.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import { bulkParameter, confirmedField, resultField, selectedField } from '../bulk-names.ts'
import type { BulkAction } from './bulk-actions.ts'
import { formatBulkHeading, formatBulkUrl } from './bulk-page.ts'
import { type BulkResult, formatResult, listRefusals } from './bulk-result.ts'
import { formatSelection } from './bulk-selection.ts'
import { findListPath } from './find-list-path.ts'
import { PageBody } from './page-body.ts'
import type { PageContext } from './page-context.ts'
import { pagePath, pageUrl } from './page-url.ts'

/** An action that has run for some of its objects. */
export interface UnfinishedAction {
  readonly action: BulkAction
  /** The form of the first request. */
  readonly form: URLSearchParams
  readonly result: BulkResult
  /** The paths of the objects for which it has not run. */
  readonly remaining: readonly string[]
}

/** The page: how far the action is, and a form that runs it for further objects. */
export function bulkProgress(
  { action, form, result, remaining }: UnfinishedAction,
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
  const mainHtml = html`<p class="lead" role="status">${text}</p>
<progress value="${count}" max="${total}" aria-label="${text}"></progress>
!${lines.length === 0 ? '' : html`<ul class="counts">!${lines.map(line => html`<li>${line}</li>`)}</ul>`}
<form class="action" method="post" action="${formatBulkUrl(context)}" data-continue>
!${inputs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<p class="send"><button class="primary">${words('page.bulk_go')}</button> <a class="button" href="${pageUrl(context)}">${words('page.bulk_stop')}</a></p>
</form>
`
  return new PageBody({
    heading: formatBulkHeading(action, context),
    above: [{ text: words.list(view.resource ?? view), href: pagePath(context) }],
    mainHtml,
  })
}
