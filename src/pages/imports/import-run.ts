// Checks or writes the rows of a file. A check writes them too, in a transaction that is undone, so that it finds what a write would.

import { type Field, type HandlerContext, isPermitted, type ListMetadata, listVisibleFields, type View } from '#core'
import type { Words } from '../html/words.ts'
import { toLines } from '../values/value-texts.ts'
import { type ImportTarget, listTargets, matchColumns } from './import-targets.ts'
import { convertRows } from './import-values.ts'
import type { ImportRow, ImportTable } from './read-table.ts'

/** What an import of a list can set. */
export interface ImportSource {
  readonly list: View
  /** A POST to the list, which the caller may send. */
  readonly context: HandlerContext
  readonly words: Words
  readonly targets: readonly ImportTarget[]
  /** The field by which rows find the objects that they change; undefined if the caller may not change objects. */
  readonly key: ImportTarget | undefined
}

/** What the person has chosen. */
export interface ImportChoice {
  readonly columns: readonly (ImportTarget | undefined)[]
  /** Whether the rows change the objects with the same key. */
  readonly changes: boolean
}

/** `check`: nothing is kept. `all`: all rows or none. `good`: the rows without errors. */
export type ImportMode = 'check' | 'all' | 'good'

/** A row of the file and its errors. */
export interface ImportedRow extends ImportRow {
  /** The errors of its cells, by column. */
  readonly cellErrors: ReadonlyMap<number, readonly string[]>
  /** The errors that belong to no column. */
  readonly errors: readonly string[]
}

export interface ImportReport {
  readonly rows: readonly ImportedRow[]
  /** The number of rows with errors. */
  readonly wrong: number
  /** The last parts of the paths of the created objects; none if nothing was kept. */
  readonly created: readonly string[]
  readonly changed: number
}

/** Finds what the caller can import into the list. */
export async function findImportSource(list: View, context: HandlerContext, words: Words): Promise<ImportSource> {
  const fields = listVisibleFields(list.forms.POST!.fields, context)
  const key = await findKey(list, context)
  const targets = listTargets(fields, key, words)
  return { list, context, words, targets, key: key && targets.find(({ name }) => name === key[0]) }
}

async function findKey(list: View, context: HandlerContext): Promise<readonly [string, Field] | undefined> {
  const { nameFields, fields, path, objectPattern } = list.listMetadata!
  const [name, ...others] = nameFields
  const view = list.findView(path + objectPattern)?.forMethod('PATCH')
  const field = name === undefined ? undefined : listVisibleFields(fields, context)[name]
  if (field === undefined || others.length > 0 || !view?.handlers.has('PATCH')) return undefined
  if (view.forms.PATCH?.requiresIfMatch) return undefined
  return (await isPermitted({ ...context, method: 'PATCH', view }, view.permissions)) ? [name!, field] : undefined
}

/** The choice that a person need not make: columns by their headings, and changes if there is a column with keys. */
export function guessChoice({ headers }: ImportTable, { targets, key }: ImportSource): ImportChoice {
  const columns = matchColumns(headers, targets)
  return { columns, changes: key !== undefined && columns.includes(key) }
}

/** Why the columns cannot be checked: they set nothing, or one field twice. Undefined if they can. */
export function findChoiceProblem({ columns }: ImportChoice, words: Words): string | undefined {
  const targets = columns.filter(target => target !== undefined)
  if (targets.length === 0) return words('page.import_nothing')
  const repeated = targets.find((target, index) => targets.indexOf(target) < index)
  return repeated && words('page.import_twice', { label: repeated.label })
}

/** Checks or writes the rows. */
export async function runImport(
  table: ImportTable,
  { columns, changes }: ImportChoice,
  mode: ImportMode,
  { list, context, words, key }: ImportSource,
): Promise<ImportReport> {
  const keyColumn = changes && key !== undefined ? columns.indexOf(key) : -1
  const isChange = (cells: readonly string[]) => keyColumn >= 0 && cells[keyColumn]!.trim() !== ''
  // A new object has no key of the file, unless bodies give keys.
  const used = columns.map(target => (target === key && keyColumn < 0 && target?.field.readOnly ? undefined : target))
  const converted = await convertRows(table, used, isChange, { view: list, context, words })
  const unconverted = converted.filter(({ errors }) => errors.size > 0).length
  const sent = table.rows.flatMap(({ cells }, index) =>
    converted[index]!.errors.size > 0 ? [] : { index, isChange: isChange(cells), body: converted[index]!.body },
  )
  const [changed, created] = [sent.filter(row => row.isChange), sent.filter(row => !row.isChange)]
  const isKept = (refused: number) => mode === 'good' || (mode === 'all' && refused + unconverted === 0)
  const results = await list.listMetadata!.imported!.write(
    { created: created.map(({ body }) => body), changed: changed.map(({ body }) => body) },
    { creation: { ...context, view: list.forMethod('POST') }, change: createChange(list, context), isKept },
  )
  const resultsByRow = new Map<number, Result>()
  for (const [position, { index }] of created.entries()) resultsByRow.set(index, results.created[position]!)
  for (const [position, { index }] of changed.entries()) resultsByRow.set(index, results.changed[position]!)
  const rows = table.rows.map((row, index) =>
    toImportedRow(row, converted[index]!.errors, resultsByRow.get(index), { columns: used, keyColumn }),
  )
  const wrong = rows.filter(hasErrors).length
  const kept = isKept(wrong - unconverted)
  return {
    rows,
    wrong,
    created: kept ? results.created.flatMap(({ segment }) => segment ?? []) : [],
    changed: kept ? results.changed.filter(({ segment }) => segment !== undefined).length : 0,
  }
}

type Result = Awaited<ReturnType<NonNullable<ListMetadata['imported']>['write']>>['created'][number]

/** Whether the row cannot be written. */
export const hasErrors = ({ cellErrors, errors }: ImportedRow): boolean => cellErrors.size + errors.length > 0

function createChange(list: View, context: HandlerContext): HandlerContext {
  const { path, objectPattern } = list.listMetadata!
  const view = list.findView(path + objectPattern)?.forMethod('PATCH') ?? list
  const request = Object.create(context.request, { method: { value: 'PATCH' } })
  return { ...context, view, method: 'PATCH', request }
}

function toImportedRow(
  row: ImportRow,
  conversion: ReadonlyMap<number, string>,
  result: Result | undefined,
  { columns, keyColumn }: Pick<ImportChoice, 'columns'> & { readonly keyColumn: number },
): ImportedRow {
  const cellErrors = new Map<number, readonly string[]>([...conversion].map(([index, error]) => [index, [error]]))
  const errors: string[] = []
  const { detail, ...byField } = Object(result?.refusal?.body)
  // The object with the key does not exist, or is hidden from the caller.
  if (result?.refusal?.status === 404 && keyColumn >= 0) cellErrors.set(keyColumn, toLines(detail))
  else errors.push(...toLines(detail))
  for (const [name, nested] of Object.entries(byField)) {
    const index = columns.findIndex(target => target?.path[0] === name && target.path.length === 1)
    if (index >= 0) cellErrors.set(index, toLines(nested))
    else for (const [part, lines] of listParts(nested)) addError(name, part, toLines(lines))
  }
  return { ...row, cellErrors, errors }

  function addError(name: string, part: string | undefined, lines: readonly string[]): void {
    const index = part === undefined ? -1 : columns.findIndex(target => target?.name === `${name}.${part}`)
    const isOfRow = name === 'non_field_errors'
    if (index >= 0) cellErrors.set(index, lines)
    else errors.push(...lines.map(line => (isOfRow ? line : `${name}: ${line}`)))
  }
}

const listParts = (errors: unknown): readonly (readonly [string | undefined, unknown])[] =>
  typeof errors === 'object' && errors !== null && !Array.isArray(errors)
    ? Object.entries(errors)
    : [[undefined, errors]]
