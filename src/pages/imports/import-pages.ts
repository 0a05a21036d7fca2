// The pages of an import: the choice of a file, the preview, and the result. They work without a script.

import { html } from 'ghtml'
import { hasExcel } from '../download/excel.ts'
import { tokenInput } from '../forms/forms.ts'
import {
  bulkParameter,
  importPageParameter,
  importParameter,
  maxObjectsPerRequest,
  selectedField,
} from '../gateway/bulk-names.ts'
import { formatCount } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath } from '../page/page-url.ts'
import { maxFileSize } from './import-problem.ts'
import { hasErrors, type ImportChoice, type ImportedRow, type ImportReport, type ImportSource } from './import-run.ts'
import { type ImportTable, packTable } from './read-table.ts'

/** The page of the list. */
export type ListContext = Pick<PageContext, 'view' | 'request' | 'words'>

/** The names of the fields of the forms. */
export const importFields = {
  file: 'file',
  rows: '_rows',
  column: '_column.',
  changes: '_changes',
  run: '_run',
  progress: '_progress',
  refused: '_refused',
} as const

/** The heading of the pages. */
export const formatImportHeading = ({ view, words }: Pick<ListContext, 'view' | 'words'>): string =>
  words('page.import_heading', { list: words.list(view.resource ?? view) })

/** The URL that takes the forms. */
export const formatImportAction = (context: ListContext): string => `${pagePath(context)}?${importParameter}=`

/** The choice of a file. `problem`: why the last one cannot be imported. */
export function uploadPage(context: ListContext, csrfToken: string | undefined, problem?: string): string {
  const { view, words } = context
  const rows = formatCount(view.listMetadata!.imported!.maxRows, words.language)
  const label = words(hasExcel ? 'page.import_file_excel' : 'page.import_file')
  const accept = hasExcel ? '.csv,.txt,.tsv,.xlsx,text/csv' : '.csv,.txt,.tsv,text/csv'
  return html`!${
    problem === undefined
      ? ''
      : html`<div class="notice errors" role="alert"><p>${problem}</p></div>
`
  }<p class="lead">${words('page.import_lead')}</p>
<form class="action" method="post" action="${formatImportAction(context)}" enctype="multipart/form-data" data-wait="${words('page.import_reading')}">
!${tokenInput(csrfToken)}<p><label for="import-file">${label}</label><input id="import-file" type="file" name="${importFields.file}" accept="${accept}" required aria-describedby="import-limits"></p>
<p class="help" id="import-limits">${words('page.import_limits', { rows, size: maxFileSize / 1024 / 1024 })}</p>
<p class="send"><button class="primary">${words('page.import_preview')}</button> <a class="button" href="${pagePath(context)}">${words('page.cancel')}</a></p>
</form>
`
}

/** Whether the rows of a file can become objects of the list. */
export const isImportable = ({ view }: Pick<ListContext, 'view'>): boolean => view.listMetadata?.imported !== undefined

/** The link to the choice of a file; empty if none can be imported. */
export const importLink = (context: ListContext): string =>
  !isImportable(context)
    ? ''
    : html`<a class="button" href="${pagePath(context)}?${importPageParameter}">${context.words('page.import')}&hellip;</a>`

interface Preview {
  readonly table: ImportTable
  readonly choice: ImportChoice
  /** Undefined if the columns cannot be checked, because of the problem. */
  readonly report: ImportReport | undefined
  readonly problem?: string | undefined
}

/** The preview: the errors of the rows at their cells, what each column sets, and the buttons that import. */
export function previewPage(
  { table, choice, report, problem }: Preview,
  source: ImportSource,
  context: ListContext,
  csrfToken: string | undefined,
): string {
  const { words } = context
  const count = table.rows.length
  const values = { count: formatCount(count, words.language), file: table.fileName }
  const wrong = report?.wrong ?? 0
  const summary = wrong === 0 ? words('page.import_ready', values) : words('page.import_wrong', { ...values, wrong })
  const lead =
    problem === undefined
      ? html`<p class="!${wrong === 0 ? 'lead' : 'notice errors'}" role="status">${summary}</p>`
      : html`<div class="notice errors" role="alert"><p>${problem}</p></div>`
  return html`!${lead}
<form class="action import" method="post" action="${formatImportAction(context)}" enctype="multipart/form-data" data-wait="${words('page.import_working', { count: values.count })}">
!${tokenInput(csrfToken)}<input type="hidden" name="${importFields.rows}" value="${packTable(table)}">
!${report === undefined ? '' : sendButtons(count, wrong, context)}!${columnChoice(table, choice, source)}!${report === undefined ? '' : rowsTable(report.rows, table, choice, words)}</form>
`
}

function sendButtons(count: number, wrong: number, context: ListContext): string {
  const { words } = context
  const button = (mode: string, text: string) =>
    html`<button class="primary" name="${importFields.run}" value="${mode}">${text}</button> `
  const format = (number: number) => formatCount(number, words.language)
  const run =
    wrong === 0
      ? button('all', words('page.import_run', { count: format(count) })) +
        (count > maxObjectsPerRequest
          ? html`<button name="${importFields.run}" value="good">${words('page.import_run_parts')}</button> `
          : '')
      : wrong < count
        ? button('good', words('page.import_run_good', { count: format(count - wrong) }))
        : ''
  return html`<p class="send">!${run}<a class="button" href="${pagePath(context)}">${words('page.cancel')}</a></p>
`
}

function columnChoice(
  table: ImportTable,
  { columns, changes }: ImportChoice,
  { targets, key, words }: ImportSource,
): string {
  const options = (selected: string) => [
    option('', words('page.import_ignore'), selected === ''),
    ...targets.map(({ name, label }) => option(name, label, name === selected)),
  ]
  const controls = table.headers.map((header, index) => {
    const id = `column-${index}`
    return html`<p><label for="${id}">${header === '' ? `${words('page.import_row')} ${index + 1}` : header}</label><select id="${id}" name="${importFields.column}${index}">!${options(columns[index]?.name ?? '')}</select></p>
`
  })
  const keyChoice =
    key === undefined
      ? ''
      : html`<p><label for="changes">${words('page.import_key')}</label><select id="changes" name="${importFields.changes}">!${option('', words('page.import_key_none'), !changes)}!${option('1', words('page.import_key_by', { label: key.label }), changes)}</select></p>
`
  return html`<fieldset class="matching"><legend>${words('page.import_matching')}</legend>
!${controls}!${keyChoice}<p><button>${words('page.import_check')}</button></p>
</fieldset>
`
}

const option = (value: string, text: string, isSelected: boolean): string =>
  html`<option value="${value}"!${isSelected ? ' selected' : ''}>${text}</option>`

const maxShown = 50
const maxCell = 80

// Rows with errors come first.
function rowsTable(rows: readonly ImportedRow[], table: ImportTable, { columns }: ImportChoice, words: Words): string {
  const shown = [...rows.filter(hasErrors), ...rows.filter(row => !hasErrors(row))].slice(0, maxShown)
  const hasRowErrors = shown.some(({ errors }) => errors.length > 0)
  const used = table.headers.flatMap((header, index) => (columns[index] === undefined ? [] : [{ header, index }]))
  const line = (row: ImportedRow) =>
    html`<tr><th scope="row">${row.number}</th>!${hasRowErrors ? html`<td>!${errorLines(row.errors)}</td>` : ''}!${used.map(({ index }) => cell(row, index, columns[index]!.field.writeOnly))}</tr>
`
  const rest =
    shown.length < rows.length
      ? html`<p class="help">${words('page.import_shown', { shown: shown.length, count: rows.length })}</p>
`
      : ''
  return html`<div class="table" role="region" aria-label="${words('page.import_preview')}" tabindex="0"><table>
<thead><tr><th scope="col">${words('page.import_row')}</th>!${hasRowErrors ? html`<th scope="col">${words('page.import_error')}</th>` : ''}!${used.map(({ header }) => html`<th scope="col">${header}</th>`)}</tr></thead>
<tbody>
!${shown.map(line)}</tbody>
</table></div>
!${rest}`
}

function cell({ cells, cellErrors }: ImportedRow, index: number, isSecret: boolean): string {
  const text = isSecret && cells[index] !== '' ? '•••' : cells[index]!
  const shown = text.length > maxCell ? `${text.slice(0, maxCell)}…` : text
  const errors = cellErrors.get(index)
  return errors === undefined
    ? html`<td><bdi>${shown}</bdi></td>`
    : html`<td class="invalid"><bdi>${shown}</bdi>!${errorLines(errors)}</td>`
}

const errorLines = (errors: readonly string[]): string =>
  errors.map(error => html`<p class="error">${error}</p>`).join('')

/** The result: what was written, the rows that were not, and a button that deletes the created objects. */
export function resultPage(
  {
    created,
    changed,
    unwritten,
  }: Omit<ImportReport, 'rows' | 'wrong'> & { readonly unwritten: readonly ImportedRow[] },
  table: ImportTable,
  choice: ImportChoice,
  { canDelete, csrfToken }: { readonly canDelete: boolean; readonly csrfToken: string | undefined },
  context: ListContext,
): string {
  const { words } = context
  const format = (count: number) => formatCount(count, words.language)
  const done = html`<p class="notice" role="status">${words('page.import_done', { created: format(created.length), changed: format(changed) })}</p>`
  const undo =
    canDelete && created.length > 0
      ? html`<form method="post" action="${pagePath(context)}?${bulkParameter}=">
!${tokenInput(csrfToken)}<input type="hidden" name="${selectedField}" value="${created.join(' ')}">
<p class="send"><a class="button primary" href="${pagePath(context)}">${words('page.import_show')}</a> <button class="danger" name="${bulkParameter}" value="delete">${words('page.import_undo', { count: format(created.length) })}&hellip;</button></p>
!${changed > 0 ? html`<p class="help">${words('page.import_undo_help')}</p>` : ''}</form>
`
      : html`<p class="send"><a class="button primary" href="${pagePath(context)}">${words('page.import_show')}</a></p>
`
  return html`!${done}
!${undo}!${
    unwritten.length === 0
      ? ''
      : html`<p>${words('page.import_refused', { count: format(unwritten.length) })}</p>
!${rowsTable(unwritten, table, choice, words)}`
  }`
}
