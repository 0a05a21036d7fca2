// An import of many rows may run in parts, each a request with a transaction of its own, so that the page between them can say how many
// rows are done. The page keeps what is left, and the script sends its form again and again; without it, a person does.

import { html } from 'ghtml'
import { tokenInput } from '../forms/forms.ts'
import { maxObjectsPerRequest, stopField } from '../gateway/bulk-names.ts'
import { formatCount } from '../html/format-value.ts'
import { pagePath } from '../page/page-url.ts'
import { formatImportAction, importFields, type ListContext } from './import-pages.ts'
import { hasErrors, type ImportChoice, type ImportedRow, type ImportSource, runImport } from './import-run.ts'
import { type ImportRow, type ImportTable, packTable, unpackTable } from './read-table.ts'

/** The counts and the rows of the parts that have run. */
interface ImportProgress {
  /** The rows of the whole import. */
  readonly total: number
  readonly changed: number
  /** The last parts of the paths of the created objects. */
  readonly created: readonly string[]
  readonly refused: readonly ImportRow[]
}

/** The result of the whole import. */
export interface ImportOutcome extends Pick<ImportProgress, 'created' | 'changed'> {
  readonly unwritten: readonly ImportedRow[]
}

/** The next part has to run, or the import has ended. */
export type PartOutcome =
  | { readonly progress: ImportProgress; readonly rest: ImportTable }
  | { readonly progress?: undefined; readonly outcome: ImportOutcome }

/** Whether the form runs a part of an import: all rows or none are one transaction, however many they are. */
export const runsInParts = (form: URLSearchParams, { rows }: ImportTable): boolean =>
  form.has(importFields.progress) || (form.get(importFields.run) === 'good' && rows.length > maxObjectsPerRequest)

/** Writes the right rows of the next part. The rows that were refused are tried again at the end, for what others have changed. */
export async function runPart(
  form: URLSearchParams,
  table: ImportTable,
  choice: ImportChoice,
  source: ImportSource,
): Promise<PartOutcome> {
  const write = (rows: readonly ImportRow[]) => runImport({ ...table, rows }, choice, 'good', source)
  const before = readProgress(form, table, source)
  const isStopped = form.has(stopField)
  const part = isStopped ? [] : table.rows.slice(0, maxObjectsPerRequest)
  const rest = { ...table, rows: table.rows.slice(part.length) }
  const report = await write(part)
  const progress = {
    total: before.total,
    changed: before.changed + report.changed,
    created: [...before.created, ...report.created],
    refused: [...before.refused, ...report.rows.filter(hasErrors)],
  }
  if (rest.rows.length > 0 && !isStopped) return { progress, rest }
  const last = await write(progress.refused)
  const left = rest.rows.map(row => ({ ...row, cellErrors: new Map(), errors: [] }))
  return {
    outcome: {
      created: [...progress.created, ...last.created],
      changed: progress.changed + last.changed,
      unwritten: [...last.rows.filter(hasErrors), ...left],
    },
  }
}

function readProgress(form: URLSearchParams, { rows }: ImportTable, { list }: ImportSource): ImportProgress {
  const [total = rows.length, changed = 0, ...created] = (form.get(importFields.progress) ?? '')
    .split(' ')
    .filter(Boolean)
  const refused = unpackTable(form.get(importFields.refused) ?? '', list.listMetadata!.imported!.maxRows)
  return { total: Number(total), changed: Number(changed), created, refused: refused?.rows ?? [] }
}

/** The page between two parts. */
export function progressPage(
  { progress, rest }: Extract<PartOutcome, { readonly rest: ImportTable }>,
  { columns, changes }: ImportChoice,
  context: ListContext,
  csrfToken: string | undefined,
): string {
  const { words } = context
  const { total, changed, created, refused } = progress
  const done = total - rest.rows.length
  const format = (count: number) => formatCount(count, words.language)
  const percent = new Intl.NumberFormat(words.language, { style: 'percent' }).format(
    Math.floor((100 * done) / total) / 100,
  )
  const text = words('page.import_progress', { done: format(done), count: format(total), percent })
  const inputs = [
    [importFields.rows, packTable(rest)],
    [importFields.refused, refused.length === 0 ? '' : packTable({ ...rest, rows: refused })],
    [importFields.progress, [total, changed, ...created].join(' ')],
    [importFields.changes, changes ? '1' : ''],
    [importFields.run, 'good'],
    ...columns.map((target, index) => [`${importFields.column}${index}`, target?.name ?? '']),
  ]
  // The script sends the last part as a person does, because its response is the result.
  const last = rest.rows.length <= maxObjectsPerRequest ? '<data data-last></data>' : ''
  return html`<form class="action" method="post" action="${formatImportAction(context)}" data-continue="${pagePath(context)}">
<div role="status"><p class="lead">${text}</p>
<progress value="${done}" max="${total}" aria-label="${text}"></progress>
<p class="help">${words('page.import_stop_help', { count: format(rest.rows.length) })}</p>
!${tokenInput(csrfToken)}!${inputs.map(([name, value]) => html`<input type="hidden" name="${name!}" value="${value!}">`)}!${last}</div>
<p class="send"><button class="primary">${words('page.bulk_go')}</button> <button name="${stopField}" value="1">${words('page.bulk_stop')}</button></p>
</form>
`
}
