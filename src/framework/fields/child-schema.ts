// The JSON Schema of the children in the body of their parent: each is a new child, or the key of one and its changes.

import { findPublicIdentifier } from '../keys/key.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'
import type { BodyMethod, ChildStorage, Fields, RelationTarget, SchemaBuilder } from './field.ts'
import { nameOnWire } from './wire-names.ts'

/** Describes a list of children, or the only child. */
export function describeChildren(target: RelationTarget, storage: ChildStorage, builder: SchemaBuilder): JsonSchema {
  const child = describeChild(target, storage, builder)
  return storage.isList ? { type: 'array', items: child, maxItems: storage.max } : child
}

function describeChild(target: RelationTarget, storage: ChildStorage, builder: SchemaBuilder): JsonSchema {
  const fields = pickWritten(target, storage)
  const { actions, isList } = storage
  const describe = (method: BodyMethod) => builder.takenObject(fields, method)
  // A new parent has no children whose keys its body could contain.
  if (builder.method === 'POST') return describe('POST')
  const changes = actions.has('change') ? describe(builder.method) : { type: 'object' }
  const changed = isList ? describeNamed(target, storage, changes, builder) : changes
  return actions.has('add') ? { anyOf: [describe('POST'), changed] } : changed
}

/** The children that exist, which a list names by their keys. */
function describeNamed(
  target: RelationTarget,
  { fields: names }: ChildStorage,
  changes: JsonSchema,
  builder: SchemaBuilder,
): JsonSchema {
  const { column } = findPublicIdentifier(target.key)
  const name = names.find(each => target.fields[each]?.keyColumn === column)
  if (name === undefined) return changes
  const field = target.fields[name]!
  const wireName = nameOnWire(name, field)
  const { properties = {}, required = [] } = changes as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  return {
    type: 'object',
    properties: { [wireName]: builder.takenValue(field), ...properties },
    required: [wireName, ...required.filter(each => each !== wireName)],
  }
}

/** The fields that bodies set; the parent's key and the place in the list are set for them. */
const pickWritten = (target: RelationTarget, { fields, reverse, position }: ChildStorage): Fields =>
  Object.fromEntries(
    fields.flatMap(name => {
      const field = target.fields[name]!
      const { storage } = field
      const column = storage.kind === 'column' ? (storage.column ?? name) : undefined
      return column !== undefined && (column === reverse || column === position) ? [] : [[name, field] as const]
    }),
  )
