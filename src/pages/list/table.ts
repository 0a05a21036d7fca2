// A list as a table: one line per object, with a link to the object's page, and column headings that change the order.

import { html } from 'ghtml'
import type { ListMetadata, ObjectNames, UrlEnd } from '#core'
import { selectedField } from '../gateway/bulk-names.ts'
import type { Words } from '../html/words.ts'
import { cellHtml, formatTitle, isNumeric, shorten, textHtml, toText } from '../values/list-cells.ts'
import { type Column, type ListColumns, type ListedObject, selectColumns } from '../values/list-columns.ts'
import { formatOrderingUrl, type ListQuery } from './list-query.ts'

/** A list, and the objects of one page. */
export interface TableList extends ListQuery {
  /** The path below which its objects are. */
  readonly listPath: string
  /** The end of the paths of objects. */
  readonly urlEnd: UrlEnd
  readonly objects: readonly ListedObject[]
  /** The names of related objects, by field. */
  readonly names: ObjectNames
  /** Whether each object has its own page. */
  readonly hasDetailPages: boolean
  /** The paths of the selected objects; undefined if rows have no checkbox. */
  readonly selected: ReadonlySet<string> | undefined
  readonly words: Words
}

/** The HTML of the table. */
export function listTable(list: TableList, title: string): string {
  const columns = selectColumns(list.listMetadata, list.query, list.objects)
  const { nameColumn, others } = columns
  const selectAll = list.selected
    ? selectionCell(
        'th',
        html`<input type="checkbox" aria-label="${list.words('page.bulk_select_all')}" data-needs-script hidden>`,
      )
    : ''
  const nameHeading = nameColumn
    ? headingHtml(nameColumn, list)
    : html`<th scope="col">${list.words.text(list.listMetadata.title)}</th>`
  return html`<div class="table list" role="region" aria-label="${title}" tabindex="0">
<table>
<thead><tr>!${selectAll}!${nameHeading}!${others.map(column => headingHtml(column, list))}</tr></thead>
<tbody>
!${list.objects.map(object => rowHtml(object, columns, list))}</tbody>
</table>
</div>
`
}

const selectionCell = (tag: 'td' | 'th', checkbox: string): string => `<${tag} class="selection">${checkbox}</${tag}>`

function headingHtml({ name, field }: Column, list: TableList): string {
  const label = list.words.label(name, field)
  const { orderingFields, parameterNames, defaultOrdering } = list.listMetadata
  const ordering = list.query.get(parameterNames.ordering) ?? defaultOrdering
  const sorted = ordering === name ? 'ascending' : ordering === `-${name}` ? 'descending' : undefined
  const sort = (isNumeric(field) ? ' class="number"' : '') + (sorted ? ` aria-sort="${sorted}"` : '')
  if (!Object.hasOwn(orderingFields, name)) return html`<th scope="col"!${sort}>${label}</th>`
  const href = formatOrderingUrl(list, sorted === 'ascending' ? `-${name}` : name)
  return html`<th scope="col"!${sort}><a href="${href}">${label}</a></th>`
}

function rowHtml(object: ListedObject, { nameColumn, others }: ListColumns, list: TableList): string {
  const { listMetadata, hasDetailPages, selected, names, words } = list
  const path = findObjectPath(object, list)
  const name = formatName(object, listMetadata, nameColumn, words)
  const label = textHtml(name)
  const isLink = path !== undefined && hasDetailPages
  const cells = others.map(column => cellHtml(column, object[column.name], names[column.name], words))
  const checkbox =
    path === undefined
      ? ''
      : html`<input type="checkbox" name="${selectedField}" value="${path}" aria-label="!${label.replace(/<\/?bdi>/g, '')}"!${selected?.has(path) ? ' checked' : ''}>`
  return html`<tr>!${selected ? selectionCell('td', checkbox) : ''}<th scope="row"!${formatTitle(name)}>!${isLink ? html`<a href="${path}">!${label}</a>` : label}</th>!${cells}</tr>
`
}

// An object without a name is `Book 3`.
function formatName(object: ListedObject, list: ListMetadata, nameColumn: Column | undefined, words: Words): string {
  const { nameFields, title } = list
  const name = nameColumn ? toText(object[nameColumn.name]) : ''
  return name.trim() === ''
    ? `${words.text(title)} ${nameFields.map(field => toText(object[field])).join('/')}`.trim()
    : name
}

/** The name of an object, shortened. */
export const nameObject = (object: ListedObject, list: ListMetadata, words: Words): string => {
  const { fields, objectName = '' } = list
  const field = fields[objectName]
  return shorten(formatName(object, list, field && { name: objectName, field }, words))
}

/** The path of an object's page. A field called `url` may hold user input, so a path counts only if it is below this list. */
export function findObjectPath(
  object: ListedObject,
  { listPath, urlEnd, listMetadata }: Pick<TableList, 'listPath' | 'urlEnd' | 'listMetadata'>,
): string | undefined {
  const { nameFields, isObjectSegment } = listMetadata
  const segments = nameFields.map(field => encodeURIComponent(toText(object[field])))
  const paths = [parsePath(toText(object.url)), `${listPath}${segments.join('/')}${urlEnd}`]
  return paths.find(path => path?.startsWith(listPath) && isObjectSegment(path.slice(listPath.length)))
}

// Extracts the path of an absolute http or https URL. The pattern is faster than URL.parse.
const parsePath = (url: string): string | undefined => /^https?:\/\/[^/?#]+(\/[^?#]*)/.exec(url)?.[1]
