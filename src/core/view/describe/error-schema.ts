// The errors of a refused body as JSON Schema: lists of texts in the shape of the body.

import { describeMembers, type JsonSchema, type SchemaContext } from '../../describe/json-schema.ts'
import type { ChildStorage, FieldDefinition, Fields } from '../../fields/field.ts'
import { hasParts } from '../../fields/kinds/kind.ts'
import { nameOnWire } from '../../fields/wire-names.ts'

export interface ErrorOptions {
  /** The member with the errors that belong to no field. */
  readonly nonFieldErrorsKey: string
}

/** The errors of one value. */
export const errorTexts: JsonSchema = Object.freeze({ type: 'array', items: { type: 'string' } })

/** Describes the errors of a body with these fields. Hooks may add errors under other names. */
export function describeErrors(fields: Fields, options: ErrorOptions, context: SchemaContext): JsonSchema {
  const written = Object.entries(fields).filter(([, { readOnly }]) => !readOnly)
  const errors = written.map(([name, field]) => [nameOnWire(name, field), describeFieldErrors(field, options, context)])
  return describeMembers({ ...Object.fromEntries(errors), [options.nonFieldErrorsKey]: errorTexts }, [])
}

/** Describes the errors of a body that is a list: those of its items by their index. */
export const describeListErrors = (
  { child }: FieldDefinition,
  options: ErrorOptions,
  context: SchemaContext,
): JsonSchema => ({
  type: 'object',
  properties: { [options.nonFieldErrorsKey]: errorTexts },
  additionalProperties: describeFieldErrors(child!, options, context),
})

function describeFieldErrors(field: FieldDefinition, options: ErrorOptions, context: SchemaContext): JsonSchema {
  const { childStorage, child, children, relation, kind } = field
  if (childStorage) return describeChildrenErrors(field, childStorage, options, context)
  if (child !== undefined) {
    const errors = describeFieldErrors(child, options, context)
    return { anyOf: [errorTexts, { type: 'object', additionalProperties: errors }] }
  }
  if (children !== undefined) return { anyOf: [errorTexts, describeErrors(children, options, context)] }
  // The errors of values whose parts are unknown are at any depth.
  return relation === undefined && hasParts(kind) ? describeAnyErrors(context) : errorTexts
}

// The errors of a list of children are in the order of the list, with `{}` for each child without errors.
function describeChildrenErrors(
  { child, children }: FieldDefinition,
  storage: ChildStorage,
  options: ErrorOptions,
  context: SchemaContext,
): JsonSchema {
  const fields = child?.children ?? children ?? {}
  const written = Object.entries(fields).filter(([name]) => storage.fields.includes(name))
  const errors = describeErrors(Object.fromEntries(written), options, context)
  return { anyOf: [errorTexts, storage.isList ? { type: 'array', items: { anyOf: [errors, errorTexts] } } : errors] }
}

// A list directly within the items of lists would be a type that TypeScript rejects as circular.
const describeAnyErrors = (context: SchemaContext): JsonSchema =>
  context.refer('ErrorTree', () => {
    const text: JsonSchema = { type: 'string' }
    const byName: JsonSchema = { type: 'object', additionalProperties: describeAnyErrors(context) }
    return { anyOf: [text, { type: 'array', items: { anyOf: [text, byName] } }, byName] }
  })
