// The parameters of declared queries.

import type { JsonSchema } from '../../describe/json-schema.ts'
import type { Parameter } from '../../describe/openapi-types.ts'
import type { Field, Fields } from '../../fields/field.ts'
import type { MessageText } from '../../messages/english.ts'
import type { DescriptionContext } from './described-operation.ts'
import { describeTaken } from './field-schema.ts'
import { draftText } from './translate-texts.ts'

/** Describes the parameters of a query that is declared by fields. */
export const describeQuery = (fields: Fields, context: DescriptionContext): readonly Parameter[] =>
  Object.entries(context.listFields(fields)).flatMap(([name, field]) => describeField(name, field, context))

// The fields of an object are named as in a form.
function describeField(name: string, field: Field, context: DescriptionContext): readonly Parameter[] {
  if (field.children !== undefined)
    return Object.entries(field.children).flatMap(([child, part]) => describeField(`${name}.${child}`, part, context))
  const { help, required } = field
  return [createParameter(name, describeParameter(field, context), { description: help, required })]
}

/** The schema of a parameter: a query cannot contain null. */
export const describeParameter = (field: Field, context: DescriptionContext): JsonSchema =>
  describeTaken({ ...field, nullable: false }, context)

/** Creates the description of a parameter of a query. */
export const createParameter = (
  name: string,
  schema: JsonSchema,
  {
    description,
    required = false,
  }: { readonly description?: MessageText | undefined; readonly required?: boolean } = {},
): Parameter => ({
  name,
  in: 'query',
  ...(description !== undefined && { description: draftText(description) }),
  ...(required && { required }),
  schema,
})

/** Creates the description of a parameter with values that are separated by commas. */
export const createListParameter = (name: string, items: JsonSchema, description: MessageText): Parameter => ({
  ...createParameter(name, { type: 'array', items }, { description }),
  style: 'form',
  explode: false,
})
