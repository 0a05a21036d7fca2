// The columns of a list's table: the name of the object, and the declared columns, or fields with short values.

import { columnsParameter, type Field, hasNames, type ListMetadata } from '#core'

/** An object of a list, as its response shows it. */
export type ListedObject = Readonly<Record<string, unknown>>

export interface Column {
  readonly name: string
  readonly field: Field
}

export interface ListColumns {
  /** The field that names an object; undefined if the objects show none. */
  readonly nameColumn: Column | undefined
  /** The other columns. */
  readonly others: readonly Column[]
}

const maxDefaultColumns = 5
/** Longest text of a field that is a column by default. */
const maxShortText = 200

/**
 * Selects the columns. The name of the object is the first. A query that selects fields (`?fields=`) selects the columns.
 */
export function selectColumns(
  list: ListMetadata,
  query: URLSearchParams,
  objects: readonly ListedObject[],
): ListColumns {
  const { fields, objectName, columns } = list
  const shown = Object.entries(fields)
    .filter(([name, { writeOnly }]) => !writeOnly && objects.some(object => Object.hasOwn(object, name)))
    .map(([name, field]) => ({ name, field }))
  const nameColumn = shown.find(({ name }) => name === objectName)
  const others = shown.filter(column => column !== nameColumn && !list.nameFields.includes(column.name))
  if (query.has(list.parameterNames.fields)) return { nameColumn, others }
  const chosen = readColumns(query) ?? columns
  if (chosen === undefined) return { nameColumn, others: others.filter(isShort).slice(0, maxDefaultColumns) }
  return { nameColumn, others: chosen.flatMap(name => others.find(column => column.name === name) ?? []) }
}

/** The columns that a person has chosen; undefined for the usual ones. */
export const readColumns = (query: URLSearchParams): readonly string[] | undefined =>
  query.has(columnsParameter)
    ? [...new Set(query.getAll(columnsParameter).flatMap(text => text.split(',')))].filter(name => name !== '')
    : undefined

/** The fields that can be columns, apart from the name of the object. */
export const listPossibleColumns = ({ fields, objectName, nameFields }: ListMetadata): readonly Column[] =>
  Object.entries(fields)
    .filter(
      ([name, { writeOnly, kind, readOnly }]) =>
        !writeOnly && name !== objectName && !nameFields.includes(name) && !(kind.shown === 'url' && readOnly),
    )
    .map(([name, field]) => ({ name, field }))

/** The columns of a list, unless a person chooses others. */
export function listUsualColumns(list: ListMetadata): readonly string[] {
  const possible = listPossibleColumns(list)
  const usual = possible.filter(isShort).slice(0, maxDefaultColumns)
  return (list.columns ?? usual.map(({ name }) => name)).filter(name => possible.some(column => column.name === name))
}

// Keys, URLs of objects, long texts and structures are left to the page of the object.
function isShort({ field }: Column): boolean {
  const { kind, multiline, keyColumn, readOnly, relation, bounds, child, parts, shownFields } = field
  if (relation !== undefined) return hasNames(field) || relation.many
  if (kind.shown === 'url' && readOnly) return false
  const isLong = multiline === true || (bounds.max_length ?? 0) > maxShortText
  const isStructure = (kind.isJson && !parts) || shownFields !== undefined || child?.children !== undefined
  return keyColumn === undefined && !isLong && !isStructure
}
