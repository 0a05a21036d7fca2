// The JSON Schema of the children in the body of their parent: each is a new child, or the key of one and its changes.

import { describeMembers, type JsonSchema } from '../../describe/json-schema.ts'
import { findPublicIdentifier } from '../../keys/key.ts'
import type { BodyMethod, ChildStorage, Field, Fields, SchemaBuilder } from '../field.ts'
import { storageColumn } from '../storage.ts'
import { nameOnWire } from '../wire-names.ts'

/** Describes a list of children, or the only child. */
export function describeChildren(storage: ChildStorage, builder: SchemaBuilder): JsonSchema {
  const child = describeChild(storage, builder)
  return storage.isList ? { type: 'array', items: child, maxItems: storage.max } : child
}

function describeChild(storage: ChildStorage, builder: SchemaBuilder): JsonSchema {
  const fields = listChildFields(storage)
  const { actions, isList } = storage
  const describe = (method: BodyMethod) => builder.takenObject(fields, method)
  if (actions.has('select')) {
    const selected = describeSelected(storage, builder)
    const changed = actions.has('change') ? [describeNamed(storage, describe('PATCH'), builder)] : []
    const alternatives = [...(actions.has('add') ? [describe('POST')] : []), ...changed, selected]
    return alternatives.length === 1 ? selected : { anyOf: alternatives }
  }
  // A new parent has no children whose keys its body could contain.
  if (builder.method === 'POST') return describe('POST')
  const changes = actions.has('change') ? describe(builder.method) : { type: 'object' }
  const changed = isList ? describeNamed(storage, changes, builder) : changes
  return actions.has('add') ? { anyOf: [describe('POST'), changed] } : changed
}

/** An object that exists, by its key or by unique values. */
function describeSelected(storage: ChildStorage, builder: SchemaBuilder): JsonSchema {
  const key = findChildKey(storage)
  const fields = listUniqueSets(storage).flatMap(names =>
    names.map(name => [name, storage.target.fields[name]!] as const),
  )
  return describeMembers(
    Object.fromEntries([
      ...(key === undefined ? [] : [[key.name, builder.takenValue(key.field)] as const]),
      ...fields.map(([name, field]) => [nameOnWire(name, field), builder.takenValue(field)] as const),
    ]),
    [],
  )
}

/** The fields of a child whose values together name one object: a unique field, or a set of `uniqueTogether`. */
export const listUniqueSets = ({ target, fields }: ChildStorage): readonly (readonly string[])[] => {
  const sets = fields.flatMap(name => (target.fields[name]?.unique === undefined ? [] : [[name]]))
  return [...sets, ...(target.uniqueTogether ?? [])].filter(names =>
    names.every(name => {
      const field = target.fields[name]
      const isReadable = field !== undefined && !field.writeOnly && field.visible === undefined
      return isReadable && fields.includes(name) && storageColumn(name, field) !== undefined
    }),
  )
}

/** The children that exist, which a list names by their keys. */
function describeNamed(storage: ChildStorage, changes: JsonSchema, builder: SchemaBuilder): JsonSchema {
  const field = findChildKey(storage)
  if (field === undefined) return changes
  const { properties = {}, required = [] } = changes as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  const { name } = field
  return describeMembers({ [name]: builder.takenValue(field.field), ...properties }, [
    name,
    ...required.filter(each => each !== name),
  ])
}

/** The field with the key of a child, and its name on the wire; undefined if bodies do not contain it. */
export function findChildKey({
  target,
  fields,
}: ChildStorage): { readonly name: string; readonly field: Field } | undefined {
  const { column } = findPublicIdentifier(target.key)
  const name = fields.find(each => target.fields[each]?.keyColumn === column)
  const field = name === undefined ? undefined : target.fields[name]!
  return field && { name: nameOnWire(name!, field), field }
}

/** The fields that the body of a child sets; the parent's key and the place in the list are set for it. */
export const listChildFields = ({ target, fields, reverse, position }: ChildStorage): Fields =>
  Object.fromEntries(
    fields.flatMap(name => {
      const field = target.fields[name]!
      const column = storageColumn(name, field)
      return column !== undefined && (column === reverse || column === position) ? [] : [[name, field] as const]
    }),
  )
