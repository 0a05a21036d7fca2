// The cells of a list's table: one line each. Long values are truncated; the JSON has them in full.

import { html } from 'ghtml'
import { formatJson } from '../exact-json.ts'
import { formatChoice } from '../fields/choices.ts'
import type { Field } from '../fields/field.ts'
import type { ShownFile } from '../files/stored-file.ts'
import { formatLabel, type ObjectNames, type RelatedName } from '../metadata.ts'
import { formatSingularTitle } from '../resources/title.ts'
import { fileLink } from './file-control.ts'
import type { Column } from './list-columns.ts'

const maxCellLength = 80
/** The most related objects that a cell names; it counts the others. */
export const maxNamedItems = 3

/** The HTML of a cell. `names`: the related objects, by the values of the field. */
export function cellHtml({ name, field }: Column, value: unknown, names: ObjectNames[string] | undefined): string {
  if (value === null || value === undefined || value === '') return '<td>&ndash;</td>'
  const { type, file, relation } = field
  if (file) return html`<td>!${fileLink(value as ShownFile)}</td>`
  if (typeof value === 'boolean') return booleanCell(value, name, field)
  if (type === 'datetime' && typeof value === 'string') return labelledCell(name, field, timeHtml(value))
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber && relation === undefined) return labelledCell(name, field, html`${value}`)
  if (Array.isArray(value)) return itemsCell(value, name, field, names)
  return html`<td>!${relation ? relatedHtml(value, field, names) : textHtml(formatItem(value, field))}</td>`
}

// Narrow screens have no headings: they show the label before the value.
const labelledCell = (name: string, field: Field, valueHtml: string): string =>
  html`<td class="short" data-label="${formatLabel(name, field)}">!${valueHtml}</td>`

// The usual value is dimmed.
function booleanCell(value: boolean, name: string, field: Field): string {
  const isUsual = value === (field.default ?? false)
  return html`<td class="!${isUsual ? 'usual' : 'short'}" data-label="${formatLabel(name, field)}">!${value ? 'Yes' : 'No'}</td>`
}

function itemsCell(
  items: readonly unknown[],
  name: string,
  field: Field,
  names: ObjectNames[string] | undefined,
): string {
  const { relation, shownFields, child } = field
  if (items.length === 0) return '<td>&ndash;</td>'
  const areKeys = relation?.showsIdentifier && shownFields === undefined && names === undefined
  if (areKeys || child?.children !== undefined) return labelledCell(name, field, html`${items.length}`)
  const shown = items
    .slice(0, maxNamedItems)
    .map(item => (relation ? relatedHtml(item, field, names) : textHtml(formatItem(item, field))))
  const more = items.length - shown.length
  return html`<td>!${shown.join(', ')}!${more > 0 ? html` <span class="more">+${more}</span>` : ''}</td>`
}

function relatedHtml(value: unknown, field: Field, names: ObjectNames[string] | undefined): string {
  const found = names?.get(String(value))
  if (found !== undefined) return nameLink(found)
  const { relation, shownFields } = field
  const { target, linked, showsIdentifier, identifier } = relation!
  // An expanded relation shows an object too.
  if (shownFields !== undefined || typeof value === 'object') return textHtml(findText(value, target.objectName))
  const isKey = showsIdentifier && identifier.column === target.key.column
  if (isKey) return textHtml(`${formatSingularTitle(target.name)} ${toText(value)}`)
  if (!linked || typeof value !== 'string') return textHtml(formatItem(value, field))
  const key = decodeURIComponent(/([^/]*)\/?$/.exec(value)![1]!)
  return html`<a href="${value}">${formatSingularTitle(target.name)} ${key}</a>`
}

const nameLink = ({ name, href }: RelatedName): string =>
  href === undefined ? textHtml(name) : html`<a href="${href}">!${textHtml(name)}</a>`

// A related object as its name, or as its first text.
function findText(value: unknown, objectName: string | undefined): string {
  const object: Readonly<Record<string, unknown>> = Object(value)
  const texts = [object[objectName ?? ''], ...Object.values(object)].filter(text => typeof text === 'string')
  return texts[0] ?? toText(value)
}

function formatItem(value: unknown, { choices, child }: Field): string {
  const labels = choices ?? child?.choices
  return labels === undefined ? toText(value) : formatChoice(labels, toText(value))
}

/** A date-time in UTC, which the script shows in the zone of the reader. */
export function timeHtml(value: string): string {
  const text = value.slice(0, 19).replace('T', ' ')
  return html`<time datetime="${value}" title="${text} UTC">${text.slice(0, 16)}</time>`
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
