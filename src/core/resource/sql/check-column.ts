// Compares a field with its column, where PostgreSQL would reject values that the field accepts. SQLite stores any value in
// any column.

import type { Column, ColumnKind } from '../../database/catalogue.ts'
import type { Field } from '../../fields/field.ts'
import { jsonKind } from '../../fields/kinds/json.ts'
import type { Key } from '../../keys/key.ts'

/** Describes the mistake in the type of a field, and its correction; undefined if there is none. */
export function findTypeProblem(field: Field, { name, type, kind, labels }: Column): string | undefined {
  const { choices, relation, keyColumn, store } = field
  // A relation and a key have the type of the key, and a field with a conversion stores what it wants.
  const where = `column "${name}" is of type ${type}`
  if (field.kind.isStoredAsText && kind !== 'text') return `${where}: remove the option "stored", which is for texts`
  if (relation !== undefined || keyColumn !== undefined || store !== undefined) return undefined
  if (kind !== 'enum' || choices === undefined) {
    const fit = field.kind.columns
    return fit === undefined || kind === 'other' || fit.includes(kind)
      ? undefined
      : `${where}: declare the field as ${kind === 'enum' ? `choice(${JSON.stringify(labels)})` : advice[kind]}`
  }
  const unknown = findUnknownLabel(choices.keys(), labels)
  return unknown && `${where}, which has no value ${unknown}: write choice(${JSON.stringify(labels)})`
}

/** The kind of the values that the column of a field contains; undefined if the field converts them as it wants. */
export function findStoredKind(field: Field, column: Column): ColumnKind | undefined {
  const { relation, store } = field
  if (relation !== undefined) return keyKinds[relation.target.key.type]
  if (store !== undefined) return store === jsonKind.conversion!.store ? 'json' : undefined
  const [kind] = field.kind.columns ?? []
  // A field of the application may show a text for each integer.
  return kind === undefined || column.kind !== 'integer' || numberKinds.includes(kind) ? kind : undefined
}

const numberKinds: readonly ColumnKind[] = ['integer', 'decimal', 'float', 'boolean']

const keyKinds: Readonly<Record<Key['type'], ColumnKind>> = { integer: 'integer', uuid: 'uuid', string: 'text' }

const advice: Readonly<Record<Exclude<ColumnKind, 'enum' | 'other'>, string>> = {
  integer: 'integer(), or as a choice() of integers',
  decimal: 'decimal()',
  float: 'number()',
  boolean: 'boolean()',
  uuid: 'uuid()',
  text: 'text()',
  date: 'date()',
  time: 'time()',
  datetime: 'dateTime()',
  json: 'json()',
}

/** The first choice, as JSON, that the enum does not have. */
export function findUnknownLabel(
  choices: Iterable<string | number>,
  labels: Column['labels'] = [],
): string | undefined {
  const unknown = [...choices].find(choice => !labels?.includes(String(choice)))
  return unknown === undefined ? undefined : JSON.stringify(unknown)
}
