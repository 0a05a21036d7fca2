// Actions for several objects of a list, without a script: the form around the table chooses the objects and the action, the next
// page asks for confirmation, and its form runs one request per object.

import { html } from 'ghtml'
import { bulkParameter, selectedField, wholeListField } from '../bulk-names.ts'
import type { BulkAction } from './bulk-actions.ts'
import { fieldControls } from './field-controls.ts'
import { createFormValues } from './form-values.ts'
import { type FormContext, tokenInput } from './forms.ts'
import type { PageContext } from './page-context.ts'
import { pagePath, pageQuery } from './page-url.ts'
import type { Words } from './words.ts'

/** The form around the table of a list, with the choice of an action. */
export const bulkForm = (
  tableHtml: string,
  actions: readonly BulkAction[],
  { path, query, words }: { readonly path: string; readonly query: URLSearchParams; readonly words: Words },
): string => html`<form method="get" action="${path}" data-bulk>
!${[...query].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}!${tableHtml}<p class="bulk"><label for="bulk">${words('page.bulk')}</label> <select id="bulk" name="${bulkParameter}">!${actions.map(({ name, label }) => html`<option value="${name}">${label}</option>`)}</select> <button>${words('page.bulk_go')}</button></p>
</form>
`

/** The action whose confirmation the caller has opened; undefined for other pages. */
export function findBulkAction(context: PageContext, actions: readonly BulkAction[]): BulkAction | undefined {
  const { request, status } = context
  if (request.method !== 'GET' || status !== 200) return undefined
  const name = pageQuery(context).get(bulkParameter)
  return actions.find(action => action.name === name)
}

/** The objects of the list of a confirmation. */
export interface BulkChoice {
  /** The names of the objects on the page, by the paths that the caller can select. */
  readonly names: ReadonlyMap<string, string>
  /** The number of all objects that match; undefined if it is unknown, or too high for one request. */
  readonly total: number | undefined
}

/** The middle of the confirmation. */
export function bulkPage(
  action: BulkAction,
  { names, total }: BulkChoice,
  context: PageContext,
  formContext: FormContext,
): string {
  const { words } = context
  const query = new URLSearchParams(pageQuery(context))
  const checked = query.getAll(selectedField).filter(path => names.has(path))
  // Without a selection, nothing is chosen beforehand.
  const paths = checked.length > 0 ? checked : [...names.keys()]
  const pathsLabel = checked.length > 0 ? 'page.bulk_selected' : 'page.bulk_page'
  query.delete(selectedField)
  const cancelled = new URLSearchParams(query)
  cancelled.delete(bulkParameter)
  const formValues = createFormValues('POST', action.asked, { ...formContext, rejected: undefined })
  const controls = fieldControls(action.asked, formValues, {
    ...formContext,
    searchAction: undefined,
    idPrefix: 'bulk',
  })
  const path = pagePath(context)
  return html`!${
    action.description === ''
      ? ''
      : html`<p class="lead">${action.description}</p>
`
  }<form class="action" method="post" action="${path}?${query}">
!${tokenInput(formContext.csrfToken)}!${paths.map(value => html`<input type="hidden" name="${selectedField}" value="${value}">`)}<fieldset><legend>${words('page.bulk_which')}</legend>
!${choice('', checked.length > 0, words(pathsLabel, { count: paths.length }))}<ul class="counts">!${paths.slice(0, maxNames).map(path => html`<li><bdi>${names.get(path)!}</bdi></li>`)}!${paths.length > maxNames ? '<li>&hellip;</li>' : ''}</ul>!${total === undefined ? '' : choice('1', false, words('page.bulk_all', { count: total }))}</fieldset>
!${controls}<p class="send"><button class="!${action.method === 'DELETE' ? 'danger' : 'primary'}">${action.label}</button> <a class="button" href="${cancelled.size === 0 ? path : `${path}?${cancelled}`}">${words('page.cancel')}</a></p>
</form>
`
}

const maxNames = 20

const choice = (value: string, isChecked: boolean, label: string): string =>
  html`<p><label><input type="radio" name="${wholeListField}" value="${value}" required !${isChecked ? 'checked' : ''}> ${label}</label></p>
`

/** The heading of the confirmation. */
export const formatBulkHeading = ({ label }: BulkAction, { view, words }: PageContext): string =>
  `${label}: ${words.list(view.resource ?? view)}`
