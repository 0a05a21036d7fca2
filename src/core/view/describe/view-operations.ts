// The operations of views that are not actions of a resource. What they declare, as forms and `OPTIONS` show it, describes
// them; of a view without schemas, only its methods are known.

import type { JsonSchema } from '../../describe/json-schema.ts'
import { mapEntries } from '../../errors/error-tree.ts'
import type { Fields } from '../../fields/field.ts'
import { findFile } from '../../fields/storage.ts'
import { documentMessages } from '../../messages/document-messages.ts'
import { isSafe } from '../../policy/permissions/permission.ts'
import type { Form, MethodDescription } from '../metadata.ts'
import type { View } from '../view.ts'
import type {
  DescribedBody,
  DescribedErrors,
  DescribedOperation,
  DescribedResponse,
  DescriptionContext,
} from './described-operation.ts'
import { describeErrors, describeListErrors } from './error-schema.ts'
import { describeShown, describeTaken, describeTakenObject } from './field-schema.ts'
import { formatViewOperation } from './operation-ids.ts'
import { describeQuery } from './query-parameters.ts'

type DescribedView = Pick<View, 'name' | 'path' | 'forms' | 'descriptions'> & Partial<Pick<View, 'unknownFields'>>

/** Describes a method of a view that does not describe its operations itself. */
export function describeViewOperation(
  view: DescribedView,
  method: string,
  context: DescriptionContext,
): DescribedOperation {
  const { name, path } = view
  const parts = describeDeclared(
    {
      method,
      form: view.forms[method],
      description: view.descriptions[method],
      refusesUnknown: view.unknownFields === 'refuse',
    },
    context,
  )
  return { id: formatViewOperation(method, /[A-Za-z0-9]/.test(name) ? name : path), summary: name, ...parts }
}

/** The declarations of a method. */
export interface DeclaredParts {
  readonly method: string
  readonly form: Pick<Form, 'fields' | 'takesAny' | 'list'> | undefined
  readonly description: MethodDescription | undefined
  readonly refusesUnknown?: boolean
  /** Wraps the body in the names of an envelope. */
  readonly wrapBody?: (schema: JsonSchema) => JsonSchema
}

/** Describes the declared parameters, body and responses of a method. */
export function describeDeclared(
  parts: DeclaredParts,
  context: DescriptionContext,
): Pick<DescribedOperation, 'path' | 'parameters' | 'body' | 'responses' | 'errors'> {
  const { description = {} } = parts
  const { parameters, query } = description
  return {
    ...(parameters && { path: mapFields(parameters, field => describeTaken(field, context)) }),
    ...(query && { parameters: describeQuery(query, context) }),
    ...describeBody(parts, context),
    responses: describeResponses(description, context),
    errors: describeDeclaredErrors(parts, context),
  }
}

const mapFields = (fields: Fields, describe: (field: Fields[string]) => JsonSchema): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describe(field)]))

function describeBody(
  { method, form, refusesUnknown = false, wrapBody = schema => schema }: DeclaredParts,
  context: DescriptionContext,
): { readonly body?: DescribedBody } {
  if (form === undefined || isSafe(method)) return {}
  if (form.list !== undefined) return { body: { required: true, schema: describeTaken(form.list, context) } }
  const fields = context.listFields(form.fields)
  if (Object.keys(fields).length === 0) return form.takesAny ? { body: { required: false, schema: {} } } : {}
  const options = {
    method: method === 'DELETE' ? 'POST' : (method as 'POST' | 'PUT' | 'PATCH'),
    refusesUnknown,
  }
  const schema = describeTakenObject(fields, options, context)
  const hasFiles = Object.values(fields).some(field => findFile(field) !== undefined)
  const formSchema = hasFiles ? describeTakenObject(fields, { ...options, media: 'form' }, context) : schema
  const required = Object.values(fields).some(field => field.required && !field.readOnly) && method !== 'PATCH'
  return {
    body: {
      required,
      schema: wrapBody(schema),
      ...(isFlat(fields) && { form: formSchema }),
      ...(hasFiles && { hasFiles }),
    },
  }
}

/** Whether a form can contain the fields as media types of forms describe them: texts, and lists of texts. */
export const isFlat = (fields: Fields): boolean =>
  Object.values(fields).every(({ kind, child, readOnly }) => readOnly || (!kind.isJson && !child?.kind.isJson))

function describeResponses(
  { response, status = 200, describeResponse }: MethodDescription,
  context: DescriptionContext,
): Record<string, DescribedResponse> {
  const schema = describeResponse?.(context) ?? (response && describeShown(response, context))
  return schema === undefined
    ? {
        '2XX': { description: documentMessages('document.succeeded'), schema: {} },
        '3XX': { description: documentMessages('document.redirect') },
      }
    : { [status]: { description: documentMessages('document.succeeded'), schema } }
}

function describeDeclaredErrors(
  { form, description: { query, errors = {} } = {} }: DeclaredParts,
  context: DescriptionContext,
): DescribedErrors {
  const fields = { ...query, ...form?.fields }
  const invalid = [
    describeErrors(context.listFields(fields), context, context),
    ...(form?.list === undefined ? [] : [describeListErrors(form.list, context, context)]),
  ]
  const bodies = mapEntries(errors, field => (field === 'document' ? field : describeShown(field, context)))
  return { invalid, mayRaiseOthers: true, bodies }
}
