// The unique columns by which paths and bodies name the objects of a resource.

import { sql } from 'kysely'
import { adviseName } from '../base/nearest-name.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import { concat } from '../database/expressions.ts'
import {
  findPublicIdentifier,
  type Identifier,
  type IdentifierPart,
  isPathSegment,
  type KeyValue,
} from '../keys/key.ts'
import { parseCanonical } from '../keys/parse-canonical.ts'
import { parseParts, splitName } from '../keys/parse-segment.ts'
import { emptyContext, type Field, type FieldLocation, type RelationTarget } from './field.ts'
import { integerKind } from './kinds/integer.ts'
import type { FieldKind } from './kinds/kind.ts'
import { textKind } from './kinds/text.ts'
import { uuidKind } from './kinds/uuid.ts'
import { storageColumn } from './storage.ts'

/** The identifier in the URLs of a resource's objects: the fields of `lookup`, or else the key. */
export function findPathIdentifier(target: Pick<FieldLocation, 'key' | 'lookup' | 'fields'>): Identifier {
  const { lookup } = target
  if (lookup === undefined) return findPublicIdentifier(target.key)
  if (typeof lookup === 'string') return createLookupIdentifier(target, lookup)
  const parts = lookup.map(name => ({ ...createLookupIdentifier(target, name, { isOneOf: true }), name }))
  return parts.length === 1 ? parts[0]! : joinParts(parts)
}

// No column has the value.
const joinParts = (parts: readonly IdentifierPart[]): Identifier =>
  Object.freeze<Identifier>({
    column: '',
    type: 'string',
    isUrlSafe: false,
    parts,
    parse: text => parseParts(parts, splitName(text, { parts })),
    read() {
      throw new Error('a body names an object with several fields by each of them')
    },
  })

function createLookupIdentifier(
  target: Pick<RelationTarget, 'fields'>,
  name: string,
  options?: { readonly isOneOf: boolean },
): Identifier {
  const identifier = createFieldIdentifier(target, name, options)
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

/** Creates the identifier of a unique field; throws if the field cannot identify an object. `isOneOf`: it need not be unique alone. */
export function createFieldIdentifier(
  { fields }: Pick<RelationTarget, 'fields'>,
  name: string,
  { isOneOf = false }: { readonly isOneOf?: boolean } = {},
): Identifier {
  const field = fields[name]
  if (field === undefined) throw new Error(`there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
  const { kind, unique, writeOnly, visible, isPartial } = field
  const column = storageColumn(name, field)
  if (column === undefined || (unique === undefined && !isOneOf))
    throw new Error(
      `field "${name}" cannot identify an object: it needs a column of its own${isOneOf ? '' : ' and the option "unique"'}`,
    )
  if (writeOnly)
    throw new Error(`field "${name}" cannot identify an object: it is write-only, and responses would show it`)
  if (visible !== undefined || isPartial)
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

/** The SQL of the part of a URL that names an object. `refer`: a column of its row. */
export function createPathSegment(dialect: Dialect, identifier: Identifier, refer: ReferToColumn): Sql {
  const { parts, isUrlSafe, column } = identifier
  if (parts === undefined) return isUrlSafe ? refer(column) : dialect.encodeUrl(refer(column))
  const [first, ...others] = parts.map(part => createPathSegment(dialect, part, refer))
  return concat(first!, ...others.flatMap(segment => [sql.lit('/'), segment]))
}

type ReferToColumn = (column: string) => Sql

/** The SQL of what names an object: the value of the column, or the part of a URL that several columns make (see `toRowName`). */
export const selectRowName = (dialect: Dialect, identifier: Identifier, refer: ReferToColumn): Sql =>
  identifier.parts === undefined ? refer(identifier.column) : createPathSegment(dialect, identifier, refer)

/** The names of the parameters of a path that name an object. `single`: that of the key, such as `orders_key`. */
export const listLookupParameters = ({ lookup }: Pick<FieldLocation, 'lookup'>, single = 'key'): readonly string[] =>
  Array.isArray(lookup) && lookup.length > 1
    ? (lookup as readonly string[]).map(name => single.replace(/key$/, name))
    : [single]

/** The fields that the URLs of objects contain instead of the key; none for the key. */
export const listLookupFields = ({ lookup = [] }: Pick<FieldLocation, 'lookup'>): readonly string[] =>
  typeof lookup === 'string' ? [lookup] : lookup
