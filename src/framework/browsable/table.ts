// A list as a table: one row per object, with a link to the object's page, and column headings that change the order.
// Long values are truncated; the JSON has them in full.

import { html } from 'ghtml'
import { formatJson } from '../exact-json.ts'
import { formatChoice } from '../fields/choices.ts'
import type { Field } from '../fields/field.ts'
import type { ShownFile } from '../files/stored-file.ts'
import { formatLabel, type ListMetadata } from '../metadata.ts'
import type { UrlEnd } from '../urls/trailing-slash.ts'
import { fileLink } from './file-control.ts'
import { formatOrderingUrl, type ListQuery } from './filter-form.ts'

/** A list, and the objects of one page. */
export interface TableList extends ListQuery {
  /** The path below which its objects are. */
  readonly listPath: string
  /** The end of the paths of objects. */
  readonly urlEnd: UrlEnd
  readonly objects: readonly ListedObject[]
  /** Whether each object has its own page. */
  readonly hasDetailPages: boolean
  /** Whether rows have a checkbox. */
  readonly isSelectable: boolean
}

export type ListedObject = Readonly<Record<string, unknown>>

const maxCellLength = 80

/** The HTML of the table. */
export function listTable(list: TableList, title: string): string {
  const columns = listColumns(list)
  const selectAll = list.isSelectable
    ? selectionCell('th', html`<input type="checkbox" aria-label="Select all" autocomplete="off">`)
    : ''
  return html`<div class="table" role="region" aria-label="${title}" tabindex="0">
<table>
<thead><tr>!${selectAll}!${columns.map(([name, field]) => headingHtml(name, field, list))}</tr></thead>
<tbody>
!${list.objects.map(object => rowHtml(object, columns, list))}</tbody>
</table>
</div>
`
}

type Columns = readonly (readonly [name: string, field: Field])[]

// Each row links to its object already, so `url` needs no column. The query may leave fields out.
const listColumns = ({ listMetadata: { fields }, objects }: TableList): Columns =>
  Object.entries(fields).filter(
    ([name, { readOnly, writeOnly }]) =>
      !writeOnly && !(name === 'url' && readOnly) && objects.some(object => Object.hasOwn(object, name)),
  )

// Selecting rows needs the script, which shows these cells.
const selectionCell = (tag: 'td' | 'th', checkbox: string): string =>
  `<${tag} class="selection" data-needs-script hidden>${checkbox}</${tag}>`

function headingHtml(name: string, field: Field, list: TableList): string {
  const label = formatLabel(name, field)
  if (!Object.hasOwn(list.listMetadata.orderingFields, name)) return html`<th scope="col">${label}</th>`
  const ordering = list.query.get('ordering')
  const sorted = ordering === name ? 'ascending' : ordering === `-${name}` ? 'descending' : undefined
  const href = formatOrderingUrl(list, sorted === 'ascending' ? `-${name}` : name)
  return html`<th scope="col" !${sorted === undefined ? '' : `aria-sort="${sorted}"`}><a href="${href}">${label}</a></th>`
}

function rowHtml(object: ListedObject, columns: Columns, list: TableList): string {
  const { listMetadata, hasDetailPages, isSelectable } = list
  const path = findObjectPath(object, list)
  const names = columns.map(([name]) => name)
  const labelName = findLabelName(names, listMetadata)
  const label = toText(object[labelName ?? '']) || (path ?? '–')
  const cells = columns.map(([name, field]) => {
    if (name !== labelName) return html`<td>!${cellHtml(object[name], field)}</td>`
    const isLink = path !== undefined && hasDetailPages
    return html`<th scope="row">!${isLink ? html`<a href="${path}">!${truncatedHtml(label)}</a>` : truncatedHtml(label)}</th>`
  })
  const checkbox =
    path === undefined
      ? ''
      : html`<input type="checkbox" value="${path}" aria-label="!${truncatedHtml(label)}" autocomplete="off">`
  return html`<tr>!${isSelectable ? selectionCell('td', checkbox) : ''}!${cells}</tr>
`
}

const findLabelName = (names: readonly string[], { objectName, nameField }: ListMetadata): string | undefined =>
  [objectName, nameField, names[0]].find(name => name !== undefined && names.includes(name))

/** The text of the field that labels an object, shortened; empty if it has none. */
export function nameObject(object: ListedObject, listMetadata: ListMetadata): string {
  const names = Object.keys(listMetadata.fields).filter(name => name !== 'url' && Object.hasOwn(object, name))
  return shorten(toText(object[findLabelName(names, listMetadata) ?? '']))
}

/** The path of an object's page. A field called `url` may hold user input, so a path counts only if it is below this list. */
export function findObjectPath(
  object: ListedObject,
  { listPath, urlEnd, listMetadata }: Pick<TableList, 'listPath' | 'urlEnd' | 'listMetadata'>,
): string | undefined {
  const { nameField = '', isObjectSegment } = listMetadata
  const paths = [parsePath(toText(object.url)), `${listPath}${encodeURIComponent(toText(object[nameField]))}${urlEnd}`]
  return paths.find(path => path?.startsWith(listPath) && isObjectSegment(path.slice(listPath.length)))
}

function cellHtml(value: unknown, { type, relation, choices, child, file }: Field): string {
  if (value === null || value === undefined) return '&ndash;'
  if (file) return fileLink(value as ShownFile)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (type === 'datetime' && typeof value === 'string')
    return html`<time datetime="${value}">${value.slice(0, 19).replace('T', ' ')}</time>`
  if (relation?.linked && typeof value === 'string') return html`<a href="${value}">${parsePath(value) ?? ''}</a>`
  const labels = choices ?? child?.choices
  const formatItem = (item: unknown) => (labels === undefined ? toText(item) : formatChoice(labels, toText(item)))
  return truncatedHtml(Array.isArray(value) ? value.map(formatItem).join(', ') : formatItem(value))
}

// Extracts the path of an absolute http or https URL. The pattern is faster than URL.parse.
const parsePath = (url: string): string | undefined => /^https?:\/\/[^/?#]+(\/[^?#]*)/.exec(url)?.[1]

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : formatJson(value)
}

function truncatedHtml(text: string): string {
  return html`${shorten(text)}!${text.length > maxCellLength ? '&hellip;' : ''}`
}

// Truncates the text without splitting a surrogate pair.
const shorten = (text: string): string =>
  text
    .slice(0, maxCellLength)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/\s+/g, ' ')
