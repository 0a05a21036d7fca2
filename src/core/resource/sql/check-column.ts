// Compares a field with its column, where PostgreSQL would reject values that the field accepts. SQLite stores any value in
// any column.

import type { Column, ColumnKind } from '../../database/catalogue.ts'
import type { Field, FieldType } from '../../fields/field.ts'
import { jsonStorage } from '../../fields/kinds/json.ts'
import type { Key } from '../../keys/key.ts'

/** Describes the mistake in the type of a field, and its correction; undefined if there is none. */
export function findTypeProblem(field: Field, { name, type, kind, labels }: Column): string | undefined {
  const { choices, relation, keyColumn, store } = field
  // A relation and a key have the type of the key, and a field with a conversion stores what it wants.
  if (relation !== undefined || keyColumn !== undefined || store !== undefined) return undefined
  const where = `column "${name}" is of type ${type}`
  if (kind !== 'enum' || choices === undefined) {
    const fit = findKinds(field)
    return fit === undefined || kind === 'other' || fit.includes(kind)
      ? undefined
      : `${where}: declare the field as ${kind === 'enum' ? `choice(${JSON.stringify(labels)})` : advice[kind]}`
  }
  const unknown = findUnknownLabel(choices.keys(), labels)
  return unknown && `${where}, which has no value ${unknown}: write choice(${JSON.stringify(labels)})`
}

const textKinds: readonly ColumnKind[] = ['text']

const kinds: Readonly<Partial<Record<FieldType, readonly ColumnKind[]>>> = {
  string: textKinds,
  email: textKinds,
  slug: textKinds,
  url: textKinds,
  uuid: ['uuid', 'text'],
  integer: ['integer', 'decimal'],
  float: ['float', 'decimal', 'integer'],
  decimal: ['decimal', 'integer'],
  boolean: ['boolean'],
  date: ['date', 'datetime'],
  time: ['time'],
  datetime: ['datetime', 'date'],
}

/** The kind of the values that the column of a field contains; undefined if the field converts them as it wants. */
export function findStoredKind(field: Field, column: Column): ColumnKind | undefined {
  const { relation, store } = field
  if (relation !== undefined) return keyKinds[relation.target.key.type]
  if (store !== undefined) return store === jsonStorage.store ? 'json' : undefined
  const kind = findKinds(field)?.[0]
  // A field of the application may show a text for each integer.
  return kind === undefined || column.kind !== 'integer' || numberKinds.includes(kind) ? kind : undefined
}

const numberKinds: readonly ColumnKind[] = ['integer', 'decimal', 'float', 'boolean']

const keyKinds: Readonly<Record<Key['type'], ColumnKind>> = { integer: 'integer', uuid: 'uuid', string: 'text' }

const findKinds = ({ type, choices }: Field): readonly ColumnKind[] | undefined => {
  if (type !== 'choice') return kinds[type]
  const [first] = choices!.keys()
  return typeof first === 'number' ? ['integer', 'decimal'] : textKinds
}

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
