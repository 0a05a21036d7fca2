// The unique columns by which paths and bodies name the objects of a resource.

import { adviseName } from '../base/nearest-name.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import { findPublicIdentifier, type Identifier, isPathSegment, type KeyValue } from '../keys/key.ts'
import { parseCanonical } from '../keys/parse-canonical.ts'
import { emptyContext, type Field, type FieldLocation, type RelationTarget } from './field.ts'
import { integerKind } from './kinds/integer.ts'
import type { FieldKind } from './kinds/kind.ts'
import { textKind } from './kinds/text.ts'
import { uuidKind } from './kinds/uuid.ts'
import { storageColumn } from './storage.ts'

/** The identifier in the URLs of a resource's objects: the field `lookup`, or else the key. */
export const findPathIdentifier = (target: Pick<FieldLocation, 'key' | 'lookup' | 'fields'>): Identifier =>
  target.lookup === undefined ? findPublicIdentifier(target.key) : createLookupIdentifier(target, target.lookup)

function createLookupIdentifier(target: Pick<RelationTarget, 'fields'>, name: string): Identifier {
  const identifier = createFieldIdentifier(target, name)
  return Object.freeze<Identifier>({
    ...identifier,
    parse: text => (isPathSegment(text) ? identifier.parse(text) : undefined),
  })
}

const identifierKinds: Readonly<Record<Identifier['type'], FieldKind>> = {
  integer: integerKind,
  uuid: uuidKind,
  string: textKind,
}

/** The kind of an identifier's values. */
export const findIdentifierKind = ({ type }: Pick<Identifier, 'type'>): FieldKind => identifierKinds[type]

/** Creates the identifier of a unique field; throws if the field cannot identify an object. */
export function createFieldIdentifier({ fields }: Pick<RelationTarget, 'fields'>, name: string): Identifier {
  const field = fields[name]
  if (field === undefined) throw new Error(`there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
  const { kind, unique, writeOnly, visible } = field
  const column = storageColumn(name, field)
  if (unique === undefined || column === undefined)
    throw new Error(`field "${name}" cannot identify an object: it needs a column of its own and the option "unique"`)
  if (writeOnly)
    throw new Error(`field "${name}" cannot identify an object: it is write-only, and responses would show it`)
  if (visible !== undefined)
    throw new Error(`field "${name}" cannot identify an object: it is not visible to every caller`)
  if (kind.identifier === undefined)
    throw new Error(`field "${name}" cannot identify an object: its type is ${kind.name}`)
  const read = (input: unknown) => readStored(field, input)
  return Object.freeze<Identifier>({
    column,
    ...kind.identifier,
    read,
    parse: text => parseCanonical(text, read),
  })
}

function readStored(field: Field, input: unknown): KeyValue {
  const value = field.parse(input, emptyContext)
  if (value instanceof Promise) throw new Error('a field that parses asynchronously cannot identify an object')
  return (field.store?.(value) ?? value) as KeyValue
}

/** The name of the field `key()`; undefined if there is none. */
export const findKeyField = ({ fields }: Pick<RelationTarget, 'fields'>): string | undefined =>
  Object.entries(fields).find(([, { keyColumn }]) => keyColumn !== undefined)?.[0]

/** The SQL of the segment of a URL that names an object, from the SQL of its identifier's value. */
export const createPathSegment = (dialect: Dialect, { isUrlSafe }: Identifier, value: Sql): Sql =>
  isUrlSafe ? value : dialect.encodeUrl(value)
