// Actions for several objects of a list, without a script: the form around the table selects the objects and the action, the next
// page asks for confirmation, and its form runs the action. All are POSTs, because a URL has no room for a long selection.

import { html } from 'ghtml'
import { compareParameter } from '#core'
import { fieldControls } from '../forms/field-controls.ts'
import { type FormContext, tokenInput } from '../forms/forms.ts'
import { bulkParameter, confirmedField, keepField, selectedField, wholeListField } from '../gateway/bulk-names.ts'
import { findListPath } from '../page/find-list-path.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageQuery, pageUrl } from '../page/page-url.ts'
import { createFormValues } from '../values/form-values.ts'
import { type BulkAction, isDeletion } from './bulk-actions.ts'
import { formatSelection } from './bulk-selection.ts'

type ListContext = Pick<PageContext, 'view' | 'request' | 'words'>

/** What the form around the table of a list needs beside the table. */
export interface BulkTable {
  readonly tableHtml: string
  readonly actions: readonly BulkAction[]
  /** Whether its objects have pages, which can be compared. */
  readonly isComparable: boolean
  /** The paths of selected objects of other pages. */
  readonly kept: readonly string[]
  /** The queries of the pages before and after this one. */
  readonly pages: { readonly previous: string | undefined; readonly next: string | undefined }
}

/** The form around the table of a list, with the choice of an action. */
export function bulkForm({ tableHtml, actions, isComparable, kept, pages }: BulkTable, context: ListContext): string {
  const { words } = context
  const keptHtml =
    kept.length === 0
      ? ''
      : html`<input type="hidden" name="${selectedField}" value="${kept.join(' ')}" data-kept>
`
  const compare = isComparable
    ? html`<button name="${compareParameter}" formnovalidate>${words('page.compare')}</button> `
    : ''
  // The script keeps the selection in any case.
  const turn = (query: string | undefined, text: string) =>
    query === undefined
      ? ''
      : html`<button name="${keepField}" value="1" formaction="${formatBulkUrl(context, query)}" formnovalidate data-without-script>${text}</button> `
  return html`<form method="post" action="${formatBulkUrl(context)}" data-bulk autocomplete="off">
!${keptHtml}!${tableHtml}<p class="bulk"><span class="help" role="status" data-selected="${words('page.bulk_count')}" data-others="${words('page.bulk_others')}">!${kept.length === 0 ? '' : html`${words('page.bulk_others', { count: kept.length })}`}</span> !${actionChoice(actions, context)} !${compare}<button type="button" data-clear data-needs-script hidden>${words('page.bulk_clear')}</button> !${turn(pages.previous, words('page.bulk_previous'))}!${turn(pages.next, words('page.bulk_next'))}</p>
</form>
`
}

/** The most actions that have a button; the deletion always has one. */
const maxButtons = 4

// A button for each of the first actions; the others, and the fields to edit, are in a select.
function actionChoice(actions: readonly BulkAction[], { words }: ListContext): string {
  const main = actions.filter(action => action.edits === undefined)
  const first = main.filter((action, index) => isDeletion(action) || index < maxButtons)
  const buttons = first.map(
    action =>
      html`<button name="${bulkParameter}" value="${action.name}" formnovalidate!${isDeletion(action) ? ' class="danger"' : ''}>${action.label}…</button> `,
  )
  const options = (listed: readonly BulkAction[]) =>
    listed.map(({ name, label }) => html`<option value="${name}">${label}</option>`)
  const others = options(main.filter(action => !first.includes(action)))
  const edits = options(actions.filter(action => action.edits !== undefined))
  const edit = edits.length === 0 ? '' : html`<optgroup label="${words('page.bulk_edit')}">!${edits}</optgroup>`
  const select =
    others.length + edits.length === 0
      ? ''
      : html`<select name="${bulkParameter}" aria-label="${words('page.bulk')}" required><option value="">${words('page.bulk_choose')}</option>!${others}!${edit}</select> <button>${words('page.bulk_go')}</button>`
  return html`<span data-without-script>${words('page.bulk')}</span> !${buttons}!${select}`
}

/** The middle of the page that asks for an action, after a form without one. The selection stays. */
export const bulkChoicePage = (
  actions: readonly BulkAction[],
  form: URLSearchParams,
  context: ListContext,
): string => html`<p class="lead">${context.words('page.bulk_no_action')}</p>
<form method="post" action="${formatBulkUrl(context)}">
<input type="hidden" name="${selectedField}" value="${form.getAll(selectedField).join(' ')}">
<p class="bulk">!${actionChoice(actions, context)} <a class="button" href="${pageUrl(context)}">${context.words('page.cancel')}</a></p>
</form>
`

/** The URL of the forms, which is that of the list with a mark; `page`: the query of another page. */
export function formatBulkUrl(context: Omit<ListContext, 'words'>, page?: string): string {
  const query = page === undefined ? pageQuery(context) : new URLSearchParams(page)
  query.set(bulkParameter, '')
  return `${pagePath(context)}?${query}`
}

/** The form of a request for the confirmation of an action, or of one that was rejected; undefined for other requests. */
export const findBulkForm = ({ view, request, requestBody }: PageContext): URLSearchParams | undefined =>
  view.listMetadata !== undefined && request.method === 'GET' && requestBody?.kind === 'form'
    ? requestBody.form
    : undefined

/** The objects of the list of a confirmation. */
export interface BulkChoice {
  /** The names of the objects on the page and of the first selected ones, by their paths. */
  readonly names: ReadonlyMap<string, string>
  /** The paths of the selected objects, or of all on the page if none is selected. */
  readonly paths: readonly string[]
  readonly isSelection: boolean
  /** The number of all objects that match; undefined if it is unknown, or too high for one form. */
  readonly total: number | undefined
  /** The HTML of what prevents the deletion of selected objects. */
  readonly preventsHtml: string
  /** The HTML of what is deleted together with the selected objects, and together with all that match. */
  readonly countsHtml: readonly [selected: string, all: string]
}

/** The middle of the confirmation. `form`: the request for it, or the one that was rejected. */
export function bulkPage(
  action: BulkAction,
  { names, paths, isSelection, total, preventsHtml, countsHtml }: BulkChoice,
  form: URLSearchParams,
  context: PageContext,
  formContext: FormContext,
): string {
  const { view, words } = context
  const controls = fieldControls(action.asked, createFormValues('POST', action.asked, formContext), {
    ...formContext,
    searchAction: undefined,
    idPrefix: 'bulk',
  })
  const isWhole = form.get(wholeListField) === '1'
  const listed = paths.slice(0, maxNames).map(path => html`<li><bdi>${names.get(path) ?? path}</bdi></li>`)
  const selected = words(isSelection ? 'page.bulk_selected' : 'page.bulk_page', { count: paths.length })
  const inputs = [
    [bulkParameter, action.name],
    [confirmedField, '1'],
    [selectedField, formatSelection(paths, findListPath(context, view.listMetadata!))],
  ] as const
  return html`!${
    action.description === ''
      ? ''
      : html`<p class="lead">${action.description}</p>
`
  }!${preventsHtml}<form class="action" method="post" action="${formatBulkUrl(context)}" data-ends-selection>
!${tokenInput(formContext.csrfToken)}!${inputs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<fieldset><legend>${words('page.bulk_which')}</legend>
!${choice('', isSelection && !isWhole, selected)}<ul class="counts">!${listed}!${paths.length > maxNames ? '<li>&hellip;</li>' : ''}</ul>!${countsHtml[0]}!${total === undefined ? '' : choice('1', isWhole, words('page.bulk_all', { count: total }))}!${countsHtml[1]}</fieldset>
!${controls}<p class="send"><button class="!${action.method === 'DELETE' ? 'danger' : 'primary'}">${action.label}</button> <a class="button" href="${pageUrl(context)}">${words('page.cancel')}</a></p>
</form>
`
}

/** The most selected objects that the confirmation names. */
export const maxNames = 20

const choice = (value: string, isChecked: boolean, label: string): string =>
  html`<p><label><input type="radio" name="${wholeListField}" value="${value}" required !${isChecked ? 'checked' : ''}> ${label}</label></p>
`

/** The heading of the confirmation. */
export const formatBulkHeading = (
  { label }: BulkAction,
  { view, words }: Pick<PageContext, 'view' | 'words'>,
): string => `${label}: ${words.list(view.resource ?? view)}`
