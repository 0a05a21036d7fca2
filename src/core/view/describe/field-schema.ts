// Fields as JSON Schema, apart for bodies and for responses. A kind of field says its own schema (`describeTaken` and
// `describeShown`), or has that of its record; this file adds null, texts and flags, and joins the fields of objects. Bodies are described in the form
// that responses have: `"12.50"`, although a body may also contain 12.5 (decision 078).

import {
  describeMembers,
  type JsonSchema,
  orNull,
  type SchemaContext,
  withoutBounds,
} from '../../describe/json-schema.ts'
import type { BodyMethod, FieldDefinition, Fields, SchemaBuilder } from '../../fields/field.ts'
import { isAbsentInSome } from '../../fields/field-visibility.ts'
import { findFile } from '../../fields/storage.ts'
import { nameOnWire } from '../../fields/wire-names.ts'

/** The body that a schema describes. */
export interface TakenOptions {
  readonly method: BodyMethod
  /** `form`: the body contains files. `json` (default): a file is null, or left out. */
  readonly media?: 'json' | 'form'
  /** Whether bodies with unknown fields are refused. */
  readonly refusesUnknown?: boolean
}

/** The relations that a query may expand, by their names on the wire. */
export interface Expansions {
  readonly [name: string]: {
    /** Describes an expanded object; undefined if the field itself cannot be expanded. */
    readonly object?: () => JsonSchema
    /** The relations inside the objects that the field shows. */
    readonly inner?: Expansions
  }
}

/** The response that a schema describes. */
export interface ShownOptions {
  /** True: a query selects the fields, so a response may lack each of them. */
  readonly isSparse: boolean
  readonly expansions?: Expansions
}

/** Describes a field in the body of a POST. */
export const describeTaken = (field: FieldDefinition, context: SchemaContext): JsonSchema =>
  createBuilder(context, {}).taken(field)

/** Describes a field in a response. */
export const describeShown = (field: FieldDefinition, context: SchemaContext): JsonSchema =>
  createBuilder(context, {}).shown(field)

/** Describes a body: the fields that it may contain, and those that it must contain. */
export const describeTakenObject = (fields: Fields, options: TakenOptions, context: SchemaContext): JsonSchema =>
  createBuilder(context, options).takenObject(fields, options.method)

/** Describes the representation of an object. */
export const describeShownObject = (fields: Fields, options: ShownOptions, context: SchemaContext): JsonSchema =>
  createBuilder(context, options).shownObject(fields)

function createBuilder(
  context: SchemaContext,
  {
    method = 'POST',
    media = 'json',
    refusesUnknown = false,
    isSparse = false,
    expansions = {},
  }: Partial<TakenOptions & ShownOptions>,
): SchemaBuilder {
  const builder: SchemaBuilder = {
    ...context,
    method,
    taken: field => describeField(field, builder.takenValue(field), readTakenFlags(field)),
    shown: field => describeField(field, builder.shownValue(field), { ...(field.readOnly && { readOnly: true }) }),
    takenValue: field => field.describeTaken?.(builder) ?? field.kind.schema,
    shownValue: field => field.describeShown?.(builder) ?? withoutBounds(builder.takenValue(field)),
    takenObject(fields, ofMethod) {
      const inner =
        ofMethod === method ? builder : createBuilder(context, { method: ofMethod, media, refusesUnknown, isSparse })
      const object = describeTakenFields(fields, inner, media)
      return refusesUnknown ? { ...object, additionalProperties: false } : object
    },
    shownObject: fields =>
      describeShownFields(fields, { isSparse }, (name, field) => {
        const { object, inner } = Object.hasOwn(expansions, name) ? expansions[name]! : {}
        const shown = createBuilder(context, { isSparse, ...(inner && { expansions: inner }) }).shown(field)
        return object === undefined ? shown : addExpanded(shown, field, object())
      }),
    storedObject: fields => describeShownFields(fields, { isSparse: false }, (_, field) => builder.shown(field)),
  }
  return builder
}

/** The names and the schemas of fields, with the names on the wire. */
const listWritable = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, field]) => (field.readOnly ? [] : [[nameOnWire(name, field), field] as const]))

function describeTakenFields(fields: Fields, builder: SchemaBuilder, media: 'json' | 'form'): JsonSchema {
  const { method } = builder
  const entries = listWritable(fields).flatMap(([name, field]) => {
    const schema = media === 'json' && findFile(field) ? describeFileInJson(field) : builder.taken(field)
    return schema === undefined ? [] : [[name, method === 'POST' ? schema : withoutDefault(schema), field] as const]
  })
  const required = entries.filter(([, , field]) => isRequired(field, method)).map(([name]) => name)
  return describeMembers(Object.fromEntries(entries.map(([name, schema]) => [name, schema])), required)
}

// JSON contains no file; null removes one.
const describeFileInJson = (field: FieldDefinition): JsonSchema | undefined =>
  field.nullable ? describeField(field, { type: 'null' }, readTakenFlags(field)) : undefined

// A PATCH needs no field, and a PUT keeps files and values that never change.
const isRequired = ({ required, fixed, file }: FieldDefinition, method: BodyMethod): boolean =>
  required && (method === 'POST' || (method === 'PUT' && !fixed && file === undefined))

function describeShownFields(
  fields: Fields,
  { isSparse }: ShownOptions,
  describe: (name: string, field: FieldDefinition) => JsonSchema,
): JsonSchema {
  const shown = Object.entries(fields).flatMap(([name, field]) =>
    field.writeOnly ? [] : [[nameOnWire(name, field), field] as const],
  )
  const members = Object.fromEntries(shown.map(([name, field]) => [name, describe(name, field)]))
  const always = shown.filter(([, field]) => !isSparse && field.visible === undefined && !isAbsentInSome(field))
  return describeMembers(
    members,
    always.map(([name]) => name),
  )
}

// Not `oneOf`: a relation that shows some fields may match both schemas. The value accepts null if an expanded object may be.
function addExpanded(schema: JsonSchema, { relation, kind }: FieldDefinition, object: JsonSchema): JsonSchema {
  const { title, description, readOnly, ...value } = schema
  if (relation?.many ?? kind.hasItems) return { ...schema, items: { anyOf: [value.items, object] } }
  const kept = Object.entries({ title, description, readOnly }).filter(([, text]) => text !== undefined)
  return { ...Object.fromEntries(kept), anyOf: [value, object] }
}

/** Adds what every field may have to the schema of its value. */
function describeField(field: FieldDefinition, value: JsonSchema, flags: JsonSchema): JsonSchema {
  const { nullable, label, help } = field
  return {
    ...(nullable ? orNull(value) : value),
    ...(label !== undefined && { title: label }),
    ...(help !== undefined && { description: help }),
    ...flags,
  }
}

const readTakenFlags = (field: FieldDefinition): JsonSchema => ({
  ...readDefault(field),
  ...(field.writeOnly && { writeOnly: true }),
  ...(field.unique !== undefined && { 'x-unique': true }),
})

// The default of a relation is a key, which bodies may not contain.
function readDefault({ default: value, relation, kind }: FieldDefinition): JsonSchema {
  const isOther =
    relation !== undefined && (kind.shown === 'url' || relation.identifier.column !== relation.target.key.column)
  return value === undefined || value === null || isOther ? {} : { default: value }
}

function withoutDefault(schema: JsonSchema): JsonSchema {
  const { default: _, ...others } = schema
  return others
}
