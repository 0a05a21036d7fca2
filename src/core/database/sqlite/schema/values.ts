// SQLite stores any value in any column, so a change of a type could leave values that are not of that type. These conditions find
// them after the copy, in which SQLite has converted what it can.

import type { ColumnType } from '../../schema/schema-state.ts'

/** The SQL that converts a value to another type, as far as the type of the new column does not do it. */
export function convertValue(value: string, type: ColumnType): string {
  if (type !== 'boolean') return value
  const isWord = (words: string) => `lower(${value}) in (${words})`
  return `case when ${isWord("'true', 't', 'yes', 'on'")} then 1 when ${isWord("'false', 'f', 'no', 'off'")} then 0 else ${value} end`
}

/** The condition of the rows whose value is not of the type; undefined if any value is. */
export function findInvalid(column: string, type: ColumnType): string | undefined {
  const isNot = (types: string) => `typeof(${column}) not in ('null', ${types})`
  const unless = (condition: string) => `${column} is not null and not coalesce(${condition}, 0)`
  if (typeof type === 'object') return undefined
  const [, digits, places] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  if (digits !== undefined) {
    const isTooLong = `abs(${column}) >= 1e${Number(digits) - Number(places)} or round(${column}, ${places}) <> ${column}`
    return `${isNot("'integer', 'real'")} or ${isTooLong}`
  }
  switch (type) {
    case 'key':
    case 'integer':
    case 'duration':
      return isNot("'integer'")
    case 'number':
      return isNot("'integer', 'real'")
    case 'boolean':
      return `${column} not in (0, 1)`
    case 'date':
      return unless(`date(${column}) = ${column}`)
    case 'time':
      return unless(`time(${column}) is not null and ${column} like '__:__:__%'`)
    case 'dateTime':
      return unless(`datetime(${column}) is not null and ${column} like '____-__-__%'`)
    case 'json':
      return unless(`json_valid(${column})`)
    case 'uuid':
      return unless(`length(replace(${column}, '-', '')) = 32 and ${column} not glob '*[^0-9A-Fa-f-]*'`)
    default:
      return isNot("'text'")
  }
}
