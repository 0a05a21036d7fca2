// The columns of a downloaded list: the key of the objects, and what the table of the page shows. Their values are those that people
// see, such as the names of related objects, but numbers and dates stay numbers and dates.

import {
  type Field,
  type Fields,
  findNamedValue,
  isObject,
  type ListMetadata,
  type ObjectNames,
  type ShownFile,
} from '#core'
import type { Words } from '../html/words.ts'
import { findText, formatItem, toText } from '../values/list-cells.ts'
import { type Column, type ListedObject, selectColumns } from '../values/list-columns.ts'

/** A value: what a spreadsheet knows as a number, a boolean, a date or a text; null for none. */
export type DownloadCell = string | number | bigint | boolean | null | TypedCell

/** A value that JSON contains as a text. */
export interface TypedCell {
  readonly type: CellType
  readonly text: string
}

type CellType = 'date' | 'time' | 'decimal'

export interface DownloadColumn {
  readonly header: string
  /** Undefined for a column of texts, numbers or booleans. */
  readonly type: CellType | undefined
  /** The number of digits after the point, of a decimal. */
  readonly decimalPlaces: number | undefined
  /** Reads the value of an object; `names`: the related objects. */
  readonly read: (object: ListedObject, names: ObjectNames) => DownloadCell
}

/** The rows of a file, in portions. */
export interface DownloadTable {
  readonly columns: readonly DownloadColumn[]
  readonly portions: AsyncIterable<readonly (readonly DownloadCell[])[]>
}

/** Creates the columns of these fields. */
export function createDownloadColumns(columns: readonly Column[], words: Words): readonly DownloadColumn[] {
  const created = columns.flatMap(({ name, field }) =>
    field.parts === undefined
      ? createColumn(words.label(name, field), field, object => object[name], name, words)
      : createPartColumns(words.label(name, field), { name, parts: field.parts }, words),
  )
  const names = columns.flatMap(({ name, field: { parts } }) => (parts ? Object.keys(parts) : name))
  // Two columns with one heading could not be told apart.
  const isRepeated = ({ header }: DownloadColumn) => created.filter(other => other.header === header).length > 1
  return created.map((column, index) =>
    isRepeated(column) ? { ...column, header: `${column.header} (${names[index]})` } : column,
  )
}

/** The fields of a downloaded list. An import finds the objects by their key, which is therefore the first. */
export function listDownloaded(
  list: ListMetadata,
  query: URLSearchParams,
  objects: readonly ListedObject[],
): readonly Column[] {
  const { nameColumn, others } = selectColumns(list, query, objects)
  const keys = list.nameFields.flatMap(name => {
    const field = Object.hasOwn(list.fields, name) ? list.fields[name] : undefined
    const isShown = field !== undefined && name !== nameColumn?.name && objects.some(each => Object.hasOwn(each, name))
    return isShown ? { name, field } : []
  })
  return [...keys, ...(nameColumn ? [nameColumn] : []), ...others]
}

function createPartColumns(
  label: string,
  { name, parts }: { readonly name: string; readonly parts: Fields },
  words: Words,
): readonly DownloadColumn[] {
  return Object.entries(parts).map(([part, field]) => {
    const read = (object: ListedObject) => {
      const value = object[name]
      return isObject(value) ? value[part] : undefined
    }
    return createColumn(`${label}: ${words.label(part, field)}`, field, read, '', words)
  })
}

function createColumn(
  label: string,
  field: Field,
  readValue: (object: ListedObject) => unknown,
  relation: string,
  words: Words,
): DownloadColumn {
  const type = findType(field)
  return {
    // Spreadsheets have no time zones.
    header: type === 'time' ? `${label} (UTC)` : label,
    type,
    decimalPlaces: type === 'decimal' ? field.bounds.decimal_places : undefined,
    read: (object, names) => toCell(readValue(object), { field, type, names: names[relation] }, words),
  }
}

function findType({ kind, relation, choices }: Field): CellType | undefined {
  if (relation !== undefined || choices !== undefined) return undefined
  const { shown } = kind
  return shown === 'date' || shown === 'time' || shown === 'decimal' ? shown : undefined
}

interface ValueContext {
  readonly field: Field
  readonly type: CellType | undefined
  readonly names: ObjectNames[string] | undefined
}

function toCell(value: unknown, context: ValueContext, words: Words): DownloadCell {
  const { field, type } = context
  if (value === null || value === undefined || value === '') return null
  if (field.file) return (value as ShownFile).url
  if (type !== undefined && typeof value === 'string') return { type, text: value }
  if (Array.isArray(value)) return value.map(item => itemText(item, context, words)).join(listSeparator)
  const isLabelled = field.relation !== undefined || field.choices !== undefined
  if (!isLabelled && (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'))
    return value
  return itemText(value, context, words)
}

/** Stands between the items of a list in one cell. */
export const listSeparator = '; '

function itemText(value: unknown, { field, names }: ValueContext, words: Words): string {
  const relatedName = names?.get(String(findNamedValue(field, value)))
  if (relatedName !== undefined) return relatedName.name
  if (field.relation !== undefined && typeof value === 'object')
    return findText(value, field.relation.target.objectName)
  return isObject(value) ? toText(value) : formatItem(value, field, words)
}
