// The value of a field on the page of its object: in full, unlike in the cells of lists.

import { html } from 'ghtml'
import { type Field, type Fields, isObject, type ObjectNames, type ShownFile } from '#core'
import { escapeContent } from '../html/escape-content.ts'
import type { Words } from '../html/words.ts'
import { formatGridValues } from './choice-grid.ts'
import { fileHtml } from './file-control.ts'
import {
  cellHtml,
  formatBoolean,
  formatItem,
  formattedHtml,
  isNumeric,
  partsHtml,
  relatedHtml,
  textHtml,
  toText,
} from './list-cells.ts'

/** A value, and what a page needs to show it. */
export interface ShownValue {
  readonly value: unknown
  /** Undefined if the view does not declare the value. */
  readonly field: Field | undefined
  /** The names of related objects by the values of the field; undefined if they are not known. */
  readonly names: ObjectNames[string] | undefined
  /** Maximum length of a text as HTML, in UTF-16 units. */
  readonly maxText: number
  readonly words: Words
}

/** Maximum number of values, and of rows, that a list shows. */
const maxItems = 50
const maxColumns = 6

/** The HTML of a value. */
export function valueHtml(shown: ShownValue): string {
  const { value, field, names, words } = shown
  if (isEmpty(value)) return '<span class="none">&ndash;</span>'
  if (field?.file) return fileHtml(value as ShownFile, field.file, words)
  if (typeof value === 'boolean') return html`${formatBoolean(value, words)}`
  const formatted = formattedHtml(value, field ?? {}, words)
  if (formatted !== undefined) return formatted
  if (field?.choiceGrid && Array.isArray(value)) return gridHtml(value.map(String), field, words)
  if (Array.isArray(value)) return itemsHtml(value, shown)
  if (field?.relation || (field && names?.has(String(value)))) return relatedHtml(value, field, names, words)
  if (field?.parts && isObject(value)) return partsHtml(value, field.parts, words)
  if (isObject(value)) return objectHtml(value, findParts(field), shown)
  return stringHtml(field ? formatItem(value, field, words) : toText(value), shown)
}

function gridHtml(values: readonly string[], field: Field, words: Words): string {
  const isAll = [...field.child!.choices!.keys()].every(choice => values.includes(String(choice)))
  const texts = isAll ? [words('page.all_choices')] : formatGridValues(field, values, words)
  return html`<ul class="values">!${texts.map(text => html`<li>${text}</li>`)}</ul>`
}

/** Whether a page shows a dash instead of the value. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The fields of the objects that a field shows. */
const findParts = (field: Field | undefined): Fields =>
  field?.children ?? field?.child?.children ?? field?.shownFields ?? {}

function itemsHtml(items: readonly unknown[], shown: ShownValue): string {
  const { field, names, words } = shown
  const isRelated = field?.relation !== undefined
  if (!isRelated && items.every(isObject)) return tableHtml(items, findParts(field), words)
  const item = (value: unknown) =>
    isRelated ? relatedHtml(value, field, names, words) : valueHtml({ ...shown, value, field: field?.child })
  const more = items.length - maxItems
  return html`<ul class="values">!${items.slice(0, maxItems).map(value => html`<li>!${item(value)}</li>`)}!${more > 0 ? html`<li class="more">${words('page.more', { count: more })}</li>` : ''}</ul>`
}

function objectHtml(object: object, fields: Fields, shown: ShownValue): string {
  const entries = Object.entries(object).slice(0, maxItems)
  if (entries.length === 0) return '<span class="none">&ndash;</span>'
  return html`<dl class="details">!${entries.map(([name, value]) => termHtml(name, { ...shown, value, field: fields[name], names: undefined }))}</dl>`
}

/** A label and its value. */
export const termHtml = (name: string, shown: ShownValue): string =>
  html`<div><dt>${shown.words.label(name, shown.field ?? { label: undefined })}</dt><dd>!${valueHtml(shown)}</dd></div>
`

/** Objects without pages as a table. */
export function tableHtml(items: readonly object[], fields: Fields, words: Words): string {
  const names = [...new Set(items.slice(0, maxItems).flatMap(item => Object.keys(item)))]
  const columns = names.filter(name => fields[name]?.keyColumn === undefined).slice(0, maxColumns)
  const heading = (name: string) =>
    html`<th scope="col"!${isNumeric(fields[name] ?? {}) ? ' class="number"' : ''}>${words.label(name, fields[name] ?? { label: undefined })}</th>`
  const cell = (item: object, name: string) => {
    const value = (item as Readonly<Record<string, unknown>>)[name]
    const field = fields[name]
    return field
      ? cellHtml({ name, field }, value, undefined, words)
      : html`<td>!${isEmpty(value) ? '&ndash;' : textHtml(toText(value))}</td>`
  }
  const rows = items.slice(0, maxItems).map(item => html`<tr>!${columns.map(name => cell(item, name))}</tr>`)
  const more = items.length - maxItems
  return html`<div class="table list" tabindex="0"><table><thead><tr>!${columns.map(heading)}</tr></thead><tbody>!${rows}</tbody></table></div>!${more > 0 ? html`<p class="more">${words('page.more', { count: more })}</p>` : ''}`
}

function stringHtml(text: string, { field, maxText, words }: ShownValue): string {
  const shown = cutText(text, maxText)
  const isCut = shown.length < text.length
  const note = isCut ? html`<p class="help">${words('page.cut')}</p>` : ''
  if (field?.multiline || text.includes('\n'))
    return html`<pre class="text" dir="auto" tabindex="0">!${'\n'}!${escapeContent(shown)}</pre>!${note}`
  if (!isCut && field?.kind.shown === 'url' && isLink(text)) return html`<a href="${text}">${text}</a>`
  if (!isCut && field?.kind.shown === 'email') return html`<a href="${`mailto:${text}`}">${text}</a>`
  return html`<bdi>${shown}</bdi>!${isCut ? '&hellip;' : ''}!${note}`
}

// Markup takes more room than other text.
function cutText(text: string, maxText: number): string {
  const start = text.slice(0, maxText)
  const size = escapeContent(start).length
  const cut = size > maxText ? start.slice(0, Math.floor((start.length * maxText) / size)) : start
  return cut.length === text.length ? text : cut.replace(/[\ud800-\udbff]$/, '')
}

// A text of a user may begin with `javascript:`.
const isLink = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
