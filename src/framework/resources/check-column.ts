// Compares a field with its column in the database, where PostgreSQL would reject values that the field accepts.

import type { Column } from '../database/catalogue.ts'
import type { Field, FieldType } from '../fields/field.ts'

const textTypes: readonly FieldType[] = ['string', 'email', 'slug', 'url', 'choice']

/** Describes the mistake in the type of a field, and its correction; undefined if there is none. */
export function findTypeProblem(
  { type, choices, relation, keyColumn, store }: Field,
  { name, type: columnType, kind, labels }: Column,
): string | undefined {
  // A relation and a key have the type of the key, and a field with a conversion stores what it wants.
  if (relation !== undefined || keyColumn !== undefined || store !== undefined || !textTypes.includes(type))
    return undefined
  const where = `column "${name}" is of type ${columnType}`
  if (kind === 'uuid') return `${where}: declare the field as uuid()`
  if (kind !== 'enum') return undefined
  const listed = JSON.stringify(labels)
  if (choices === undefined) return `${where}: declare the field as choice(${listed})`
  const unknown = findUnknownLabel(choices.keys(), labels)
  return unknown && `${where}, which has no value ${unknown}: write choice(${listed})`
}

/** The first choice, as JSON, that the enum does not have. */
export function findUnknownLabel(
  choices: Iterable<string | number>,
  labels: Column['labels'] = [],
): string | undefined {
  const unknown = [...choices].find(choice => !labels?.includes(String(choice)))
  return unknown === undefined ? undefined : JSON.stringify(unknown)
}
