// The cells of a list's table: one line each. Long values are truncated; the JSON has them in full.

import { html } from 'ghtml'
import {
  type Field,
  type Fields,
  findNamedValue,
  formatChoice,
  formatJson,
  isObject,
  type ObjectNames,
  type RelatedName,
  type ShownFile,
  valueKind,
} from '#core'
import { dateHtml, formatDecimal, formatNumber, timeHtml } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import { fileLink } from './file-control.ts'
import type { Column } from './list-columns.ts'

const maxCellLength = 80
/** The most related objects that a cell names; it counts the others. */
export const maxNamedItems = 3

/** The HTML of a cell. `names`: the related objects, by the values of the field. */
export function cellHtml(
  { name, field }: Column,
  value: unknown,
  names: ObjectNames[string] | undefined,
  words: Words,
): string {
  if (value === null || value === undefined || value === '')
    return isNumeric(field) ? '<td class="usual number">&ndash;</td>' : emptyCell
  const { file } = field
  if (file) return html`<td>!${fileLink(value as ShownFile)}</td>`
  if (typeof value === 'boolean') return booleanCell(value, name, field, words)
  const formatted = formattedHtml(value, field, words)
  if (formatted !== undefined)
    return labelledCell(words.label(name, field), formatted, isNumeric(field) ? 'short number' : 'short')
  if (field.parts && isObject(value)) return html`<td>!${partsHtml(value, field.parts, words)}</td>`
  if (Array.isArray(value)) return itemsCell(value, { name, field }, names, words)
  const title = typeof value === 'string' && field.relation === undefined ? formatTitle(value) : ''
  return html`<td!${title}>!${relatedHtml(value, field, names, words)}</td>`
}

/** The values of an object in several columns, one after the other. */
export const partsHtml = (value: Readonly<Record<string, unknown>>, parts: Fields, words: Words): string =>
  Object.entries(parts)
    .map(([name, part]) => formattedHtml(value[name], part, words) ?? textHtml(formatItem(value[name], part, words)))
    .join(' ')

const emptyCell = '<td class="usual">&ndash;</td>'

/** The HTML of a number, date or time in the reader's language; undefined for other values. */
export function formattedHtml(
  value: unknown,
  { kind, relation, choices, currency }: Partial<Pick<Field, 'kind' | 'relation' | 'choices' | 'currency'>>,
  { language }: Words,
): string | undefined {
  if (relation !== undefined || choices !== undefined) return undefined
  if (typeof value === 'number' || typeof value === 'bigint') return html`${formatNumber(value, language)}`
  if (typeof value !== 'string') return undefined
  return formats[(kind ?? valueKind).shown ?? '']?.(value, language, currency)
}

type Format = (value: string, language: string, currency: string | undefined) => string | undefined

const formats: Readonly<Record<string, Format>> = {
  time: timeHtml,
  date: dateHtml,
  decimal: (value, language, currency) => html`${formatDecimal(value, language, currency)}`,
  // An attribute of SVG is no inline style, which the policy forbids.
  color: value =>
    html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${value}"/></svg> ${value}`,
  unknown: (value, language) => (timePattern.test(value) ? timeHtml(value, language) : undefined),
}

// The value of a computed field, whose kind is unknown.
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

// Narrow screens have no headings: they show the label before the value.
const labelledCell = (label: string, valueHtml: string, style = 'short'): string =>
  html`<td class="${style}" data-label="${label}">!${valueHtml}</td>`

/** Whether the values are numbers, which stand below each other. */
export const isNumeric = ({
  kind,
  relation,
  choices,
}: Partial<Pick<Field, 'kind' | 'relation' | 'choices'>>): boolean =>
  (kind?.input === 'number' || kind?.shown === 'decimal') && relation === undefined && choices === undefined

// The usual value is dimmed, and another one stands out.
function booleanCell(value: boolean, name: string, field: Field, words: Words): string {
  const isUsual = value === (field.default ?? false)
  const text = formatBoolean(value, words)
  // On phones, only another value is shown, with its label.
  if (isUsual) return html`<td class="usual">${text}</td>`
  return labelledCell(words.label(name, field), html`<span class="tag">${text}</span>`)
}

export const formatBoolean = (value: boolean, words: Words): string => words(value ? 'page.yes' : 'page.no')

function itemsCell(
  items: readonly unknown[],
  { name, field }: Column,
  names: ObjectNames[string] | undefined,
  words: Words,
): string {
  const { relation, shownFields, child } = field
  if (items.length === 0) return emptyCell
  const areKeys = relation?.showsIdentifier && shownFields === undefined && names === undefined
  if (areKeys || child?.children !== undefined) return labelledCell(words.label(name, field), html`${items.length}`)
  const shown = items.slice(0, maxNamedItems).map(item => relatedHtml(item, field, names, words))
  const more = items.length - shown.length
  const title =
    items.length > 1
      ? formatTitle(items.map(item => names?.get(String(findNamedValue(field, item)))?.name ?? '').join(', '))
      : ''
  return html`<td!${title}>!${shown.join(', ')}!${more > 0 ? html` <span class="more">+${more}</span>` : ''}</td>`
}

/** The shortest text that a cell may cut. */
const minCutText = 36
const maxTitle = 300

/** The attribute that shows a long text in full, with a space before it; empty for a short one. */
export const formatTitle = (text: string): string =>
  text.length < minCutText ? '' : html` title="${text.slice(0, maxTitle).replace(/[\ud800-\udbff]$/, '')}"`

/** The HTML of a value that may name a related object: its name, with a link if it has a page. */
export function relatedHtml(
  value: unknown,
  field: Field,
  names: ObjectNames[string] | undefined,
  words: Words,
): string {
  const relatedName = names?.get(String(findNamedValue(field, value)))
  if (relatedName !== undefined) return nameLink(relatedName)
  const { relation, shownFields } = field
  if (relation === undefined) return textHtml(formatItem(value, field, words))
  const { target, linked, showsIdentifier, identifier } = relation
  // An expanded relation shows an object too.
  if (shownFields !== undefined || typeof value === 'object') return textHtml(findText(value, target.objectName))
  const isKey = showsIdentifier && identifier.column === target.key.column
  if (isKey) return textHtml(`${words.one(target)} ${toText(value)}`)
  if (!linked || typeof value !== 'string') return textHtml(formatItem(value, field, words))
  const key = decodeURIComponent(/([^/]*)\/?$/.exec(value)![1]!)
  return html`<a href="${value}">${words.one(target)} ${key}</a>`
}

const nameLink = ({ name, href }: RelatedName): string =>
  href === undefined ? textHtml(name) : html`<a href="${href}">!${textHtml(name)}</a>`

/** A related object as its name, or as its first text. */
export function findText(value: unknown, objectName: string | undefined): string {
  const object: Readonly<Record<string, unknown>> = Object(value)
  const texts = [object[objectName ?? ''], ...Object.values(object)].filter(text => typeof text === 'string')
  return texts[0] ?? toText(value)
}

export function formatItem(value: unknown, { choices, child }: Field, words: Words): string {
  const labels = choices ?? child?.choices
  return labels === undefined ? toText(value) : words.text(formatChoice(labels, toText(value)))
}

export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : formatJson(value)
}

/** A text, truncated, with an ellipsis. */
export const shortText = (text: string): string => (text.length > maxCellLength ? `${shorten(text)}…` : shorten(text))

/** A text, truncated. Its direction does not change that of the page. */
export function textHtml(text: string): string {
  const shown = html`${shorten(text)}!${text.length > maxCellLength ? '&hellip;' : ''}`
  return isAscii(text) ? shown : `<bdi>${shown}</bdi>`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** Truncates the text without splitting a surrogate pair. */
export const shorten = (text: string): string =>
  text
    .slice(0, maxCellLength)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/\s+/g, ' ')
