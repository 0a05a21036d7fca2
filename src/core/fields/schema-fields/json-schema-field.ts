// Describes a JSON Schema as a field.

import { adoptSchema, type SchemaSide } from '../../describe/adopt-schema.ts'
import type { JsonSchema } from '../../describe/json-schema.ts'
import { readChoices } from '../choices/choices.ts'
import { defineField } from '../define-field.ts'
import type { Field } from '../field.ts'
import { booleanKind } from '../kinds/boolean.ts'
import { findChoiceKind } from '../kinds/choice.ts'
import { integerKind } from '../kinds/integer.ts'
import { jsonKind, objectKind } from '../kinds/json.ts'
import type { FieldKind } from '../kinds/kind.ts'
import { listKind } from '../kinds/list.ts'
import { numberKind } from '../kinds/number.ts'
import { textKind } from '../kinds/text.ts'

/** A field that describes a schema's input or output, including its nested schemas. */
export interface SchemaField extends Field {
  readonly child?: SchemaField
  readonly children?: Readonly<Record<string, SchemaField>>
  /** The default value. */
  readonly initial: unknown
  /** The type to which the texts of forms and queries are converted; undefined if the schema accepts texts. */
  readonly convertsTo: 'number' | 'boolean' | undefined
}

/** The part of JSON Schema that a field uses. */
export interface SchemaKeywords extends JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly SchemaKeywords[]
  readonly oneOf?: readonly SchemaKeywords[]
  readonly items?: SchemaKeywords | false
  readonly properties?: Readonly<Record<string, SchemaKeywords>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Describes a JSON Schema; keywords that a field does not use are ignored. `side`: which one of a library's schema it is. */
export function describeJsonSchema(schema: SchemaKeywords, side: SchemaSide = 'input'): SchemaField {
  return toField(schema, true, part => builder => adoptSchema(part, { root: schema, side }, builder))
}

/** Creates the description of a part of the schema. */
type Describe = (part: SchemaKeywords) => NonNullable<Field['describeTaken']>

function toField(schema: SchemaKeywords, required: boolean, describe: Describe): SchemaField {
  const { items, properties, required: names = [], enum: choices, ...keywords } = withoutNull(schema)
  const labels = keywords.type === 'string' && choices ? readChoices(choices as string[], 'enum') : undefined
  const kind = labels ? findChoiceKind(labels) : findKind(keywords, choices)
  const field = defineField<unknown>(
    { required, nullable: acceptsNull(schema) },
    {
      kind,
      bounds: readBounds(keywords),
      ...(kind.isFreeText && { blank: !keywords.minLength && !keywords.pattern && !keywords.format }),
      ...(labels && { choices: labels }),
      parse: input => input,
      describeTaken: describe(schema),
      describeShown: describe(schema),
    },
  )
  const children = properties && Object.entries(properties)
  return {
    ...field,
    initial: schema.default,
    convertsTo: findConversion(schema),
    ...(items && { child: toField(items, true, describe) }),
    ...(children && {
      children: Object.fromEntries(
        children.map(([name, child]) => [name, toField(child, names.includes(name), describe)]),
      ),
    }),
  } as SchemaField
}

// Removes null from the schema's types, because `nullable` of the field represents it.
function withoutNull(schema: SchemaKeywords): SchemaKeywords {
  const { type, anyOf } = schema
  const alternatives = anyOf?.filter(alternative => alternative.type !== 'null')
  if (alternatives?.length === 1) return alternatives[0]!
  if (!Array.isArray(type)) return schema
  const [firstType, ...furtherTypes] = type.filter(name => name !== 'null')
  const { type: _, ...untyped } = schema
  return furtherTypes.length === 0 ? { ...untyped, type: firstType } : untyped
}

const typeKeywords = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref']

// A schema without any of these keywords accepts every value.
function acceptsNull(schema: SchemaKeywords): boolean {
  const { type, anyOf = [], enum: choices = [] } = schema
  const isAny = !typeKeywords.some(keyword => Object.hasOwn(schema, keyword))
  return isAny || [type].flat().includes('null') || choices.includes(null) || anyOf.some(acceptsNull)
}

const kinds: Readonly<Record<string, FieldKind>> = {
  string: textKind,
  integer: integerKind,
  number: numberKind,
  boolean: booleanKind,
  array: listKind,
  object: objectKind,
}

function findKind({ type }: SchemaKeywords, choices: SchemaKeywords['enum']): FieldKind {
  if (typeof type !== 'string') return jsonKind
  return choices?.every(Number.isInteger) ? integerKind : (kinds[type] ?? jsonKind)
}

// In a union, each alternative must be a number, or each a boolean: otherwise it is open which one a text stands for.
function findConversion(schema: SchemaKeywords): SchemaField['convertsTo'] {
  const names = new Set(listTypes(schema).filter(name => name !== 'null'))
  const [name] = names
  return names.size === 1 && (name === 'number' || name === 'boolean') ? name : undefined
}

function listTypes({ type, enum: choices, anyOf, oneOf, ...rest }: SchemaKeywords): readonly (string | undefined)[] {
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) return alternatives.flatMap(listTypes)
  const values = Object.hasOwn(rest, 'const') ? [rest.const] : choices
  if (values !== undefined) return values.map(value => (value === null ? 'null' : typeof value))
  return [type].flat().map(name => (name === 'integer' ? 'number' : name))
}

function readBounds(keywords: SchemaKeywords): Record<string, number> {
  const bounds = {
    min_length: keywords.minLength ?? keywords.minItems,
    max_length: keywords.maxLength ?? keywords.maxItems,
    min_value: keywords.minimum,
    max_value: keywords.maximum,
  }
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)) as Record<string, number>
}
