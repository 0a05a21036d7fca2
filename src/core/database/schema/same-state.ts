// Whether two descriptions of tables mean the same: the order of columns and of properties does not count.

import type { SchemaState } from './schema-state.ts'

/** Whether two parts of states, such as two columns or two indexes, mean the same. */
export const isSame = (one: unknown, other: unknown): boolean => formatCanonical(one) === formatCanonical(other)

/** Whether two states have the same tables and views. */
export const isSameState = (one: SchemaState, other: SchemaState): boolean => isSame(one, other)

const formatCanonical = (value: unknown): string | undefined => JSON.stringify(toCanonical(value, ''))

function toCanonical(value: unknown, property: string): unknown {
  if (Array.isArray(value)) return value.map(item => toCanonical(item, ''))
  if (typeof value !== 'object' || value === null) return value
  if (property !== 'type' && isSameSql(value)) return value.sqlite
  return Object.entries(value)
    .filter(([name, item]) => item !== undefined && !(property === 'references' && name === 'column' && item === 'id'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, item]) => [name, toCanonical(item, name)])
}

const isSameSql = (value: object): value is { readonly sqlite: string } =>
  'sqlite' in value && 'postgres' in value && value.sqlite === value.postgres
