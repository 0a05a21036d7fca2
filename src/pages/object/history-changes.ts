// The changes of an object in words: the labels of its fields, related objects by name, and values as pages show them.

import { html } from 'ghtml'
import { type Field, type Fields, hasNames, listVisibleFields, type ObjectNames, type View } from '#core'
import { undoParameter } from '../gateway/page-form.ts'
import { timeHtml } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { formatGridValues } from '../values/choice-grid.ts'
import { formatBoolean, formatItem, formattedHtml, relatedHtml, textHtml } from '../values/list-cells.ts'

/** The old and the new value of a field, as far as they are known. */
export interface ChangedValue {
  readonly old?: unknown
  readonly new?: unknown
}

/** A change of the history. */
export interface Change {
  readonly id?: number
  readonly created: string
  readonly user: unknown
  readonly event: string
  readonly action?: unknown
  readonly changes: Readonly<Record<string, ChangedValue>>
}

/** Renders the changes as the items of a list. `objectView`: the view of their object; undefined if it is unknown. */
export async function changeItems(
  changes: readonly Change[],
  objectView: View | undefined,
  context: PageContext,
  objectPath?: string,
): Promise<string> {
  const shown = await readShownFields(changes, objectView, context)
  const path = objectView?.handlers.has('PATCH') ? objectPath : undefined
  return changes.map(change => changeItem(change, shown, path)).join('')
}

/** Renders changed values, each with the label of its field. */
export async function changedFields(
  changes: Change['changes'],
  objectView: View | undefined,
  context: PageContext,
): Promise<string> {
  return fieldsHtml(changes, await readShownFields([{ changes }], objectView, context))
}

async function readShownFields(
  changes: readonly Pick<Change, 'changes'>[],
  objectView: View | undefined,
  context: PageContext,
): Promise<ChangedFields> {
  const { words, requestContext } = context
  const metadata = objectView?.objectMetadata
  const fields = listVisibleFields(metadata?.fields ?? {}, requestContext)
  const values = listNamedValues(changes, fields)
  const isNamed = metadata !== undefined && requestContext !== undefined && Object.keys(values).length > 0
  const names = isNamed ? await metadata.readNames(values, requestContext) : {}
  return { fields, names, words }
}

/** The values of related objects, by field. */
function listNamedValues(
  changes: readonly Pick<Change, 'changes'>[],
  fields: Fields,
): Readonly<Record<string, readonly unknown[]>> {
  const related = Object.keys(fields).filter(name => hasNames(fields[name]!))
  const listValues = (name: string) =>
    changes.flatMap(({ changes }) => [changes[name]?.old ?? [], changes[name]?.new ?? []].flat())
  const entries = related.map(name => [name, [...new Set(listValues(name))]] as const)
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0))
}

interface ChangedFields {
  readonly fields: Fields
  readonly names: ObjectNames
  readonly words: Words
}

const fieldsHtml = (changes: Change['changes'], { fields, names, words }: ChangedFields): string =>
  Object.entries(changes)
    .map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      const show = (shown: unknown) => valueHtml(shown, field, names[name], words)
      return changedFieldHtml(words.label(name, field ?? { label: undefined }), value, show)
    })
    .join('')

function changeItem(change: Change, shown: ChangedFields, objectPath: string | undefined): string {
  const { id, created, user, event, action, changes } = change
  const { words } = shown
  const canRestore = action === 'update' && id !== undefined && Object.values(changes).some(value => 'old' in value)
  const restore =
    canRestore && objectPath !== undefined
      ? html` &middot; <a href="${`${objectPath}?${undoParameter}=${id}`}">${words('page.undo_restore')}&hellip;</a>`
      : ''
  return html`<li><p class="help">!${timeHtml(created, words.language)} &middot; <bdi>${typeof user === 'string' ? user : words('page.somebody')}</bdi> &middot; ${nameAction(action, words) ?? event}!${restore}</p>!${fieldsHtml(changes, shown)}</li>
`
}

// The name of an event is the same for objects of several resources, and has no translation.
const nameAction = (action: unknown, words: Words): string | undefined => {
  if (action === 'create') return words('page.history_create')
  if (action === 'update') return words('page.history_update')
  return action === 'destroy' ? words('page.history_destroy') : undefined
}

/** The label of a changed field with its old and its new value. */
export const changedFieldHtml = (
  label: string,
  value: ChangedValue,
  show: (value: unknown) => string = simpleHtml,
): string =>
  html`<p><b>${label}</b>!${value.old === undefined ? '' : html` <del>!${show(value.old)}</del>`}!${value.new === undefined ? '' : html` <ins>!${show(value.new)}</ins>`}</p>`

/** The old or the new value of a field. The keys of related objects stay keys. */
export const changedValueHtml = (value: unknown, field: Field | undefined, words: Words): string =>
  valueHtml(value, field, undefined, words)

const nothing = '&ndash;'

function valueHtml(
  value: unknown,
  field: Field | undefined,
  names: ObjectNames[string] | undefined,
  words: Words,
): string {
  if (field === undefined || isEmpty(value)) return simpleHtml(value)
  if (!Array.isArray(value)) return partHtml(value, field, names, words)
  if (field.choiceGrid) return textHtml(formatGridValues(field, value.map(String), words).join('; '))
  return value.map(item => partHtml(item, field, names, words)).join(', ')
}

function partHtml(value: unknown, field: Field, names: ObjectNames[string] | undefined, words: Words): string {
  if (typeof value === 'boolean') return formatBoolean(value, words)
  if (field.relation !== undefined || names?.has(String(value))) return relatedHtml(value, field, names, words)
  return formattedHtml(value, field, words) ?? textHtml(formatItem(value, field, words))
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

function simpleHtml(value: unknown): string {
  if (isEmpty(value)) return nothing
  const texts = [value].flat().map(part => (typeof part === 'string' ? part : JSON.stringify(part)))
  return textHtml(texts.join(', '))
}
