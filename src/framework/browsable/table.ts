// A list as a table: a row for each object, which leads to the object's page, and columns that can be ordered by. What
// is too long for a cell is cut; the JSON has all of it.

import { html } from 'ghtml'
import type { Field, Fields } from '../fields/field.ts'
import { labelOf } from '../metadata.ts'
import { type AskedList, orderedHref } from './list-controls.ts'

/** A list with the objects of one of its pages. */
export interface ShownList extends AskedList {
  readonly objects: readonly ListedObject[]
  /** Does each of them have a page of its own? */
  readonly hasPages: boolean
  /** Can rows be chosen? */
  readonly isChosenFrom: boolean
}

export type ListedObject = Readonly<Record<string, unknown>>

const mostCharacters = 80

/** The table. */
export function listTable(list: ShownList, title: string): string {
  const columns = columnsOf(list.listing.fields)
  const all = list.isChosenFrom
    ? choiceCell('th', html`<input type="checkbox" aria-label="All" autocomplete="off">`)
    : ''
  return html`<div class="rows" role="region" aria-label="${title}" tabindex="0">
<table>
<thead><tr>!${all}!${columns.map(([name, field]) => headHtml(name, field, list))}</tr></thead>
<tbody>
!${list.objects.map(object => rowHtml(object, columns, list))}</tbody>
</table>
</div>
`
}

type Columns = readonly (readonly [name: string, field: Field])[]

// The URL of an object is that of its row.
const columnsOf = (fields: Fields): Columns =>
  Object.entries(fields).filter(([name, { readOnly, writeOnly }]) => !writeOnly && !(name === 'url' && readOnly))

// Without a script, nothing can be done with a choice.
const choiceCell = (tag: 'td' | 'th', box: string): string =>
  `<${tag} class="choice" data-script hidden>${box}</${tag}>`

function headHtml(name: string, field: Field, list: ShownList): string {
  const label = labelOf(name, field)
  if (!Object.hasOwn(list.listing.orderingFields, name)) return html`<th scope="col">${label}</th>`
  const asked = list.query.get('ordering')
  const sorted = asked === name ? 'ascending' : asked === `-${name}` ? 'descending' : undefined
  const href = orderedHref(list, sorted === 'ascending' ? `-${name}` : name)
  return html`<th scope="col" !${sorted === undefined ? '' : `aria-sort="${sorted}"`}><a href="${href}">${label}</a></th>`
}

function rowHtml(object: ListedObject, columns: Columns, list: ShownList): string {
  const { listing, hasPages, isChosenFrom } = list
  const path = pathOf(object, list)
  const names = columns.map(([name]) => name)
  const title = [listing.objectName, 'id', names[0]].find(name => name !== undefined && names.includes(name))
  const label = textOf(object[title ?? '']) || (path ?? '–')
  const cells = columns.map(([name, field]) => {
    if (name !== title) return html`<td>!${cellHtml(object[name], field)}</td>`
    const isLink = path !== undefined && hasPages
    return html`<th scope="row">!${isLink ? html`<a href="${path}">!${cut(label)}</a>` : cut(label)}</th>`
  })
  const box =
    path === undefined
      ? ''
      : html`<input type="checkbox" value="${path}" aria-label="!${cut(label)}" autocomplete="off">`
  return html`<tr>!${isChosenFrom ? choiceCell('td', box) : ''}!${cells}</tr>
`
}

// A field may be called `url` and be a user's text: only what is a path of this list's own objects is one.
function pathOf({ url, id }: ListedObject, { root, listing }: ShownList): string | undefined {
  const list = root + listing.path
  const paths = [pathnameOf(textOf(url)), `${list}${textOf(id)}/`]
  return paths.find(path => path?.startsWith(list) && /^[1-9]\d*\/$/.test(path.slice(list.length)))
}

function cellHtml(value: unknown, { type, relation }: Field): string {
  if (value === null || value === undefined) return '&ndash;'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (type === 'datetime' && typeof value === 'string')
    return html`<time datetime="${value}">${value.slice(0, 19).replace('T', ' ')}</time>`
  if (relation?.linked && typeof value === 'string') return html`<a href="${value}">${pathnameOf(value) ?? ''}</a>`
  return cut(Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value))
}

// Of an http URL as the database writes it.
const pathnameOf = (url: string): string | undefined => /^https?:\/\/[^/?#]+(\/[^?#]*)/.exec(url)?.[1]

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// As HTML; between two characters, not within one.
function cut(text: string): string {
  const [start, end] = [text.slice(0, mostCharacters), text.length > mostCharacters ? '&hellip;' : '']
  return html`${start.replace(/[\ud800-\udbff]$/, '').replace(/\s+/g, ' ')}!${end}`
}
