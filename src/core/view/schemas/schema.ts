// What a query, a body or a response contains: fields by name, as a resource declares them, or any Standard Schema
// (https://standardschema.dev), such as those of Zod, Valibot and ArkType. A body or a response may also be a list.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { checkIsField, isField } from '../../fields/check-is-field.ts'
import type {
  DeclaredFields,
  FieldRecords,
  FilledValues,
  ReplacedValues,
  Values,
} from '../../fields/declared-fields.ts'
import type { Field, FieldDefinition } from '../../fields/field.ts'
import type { FieldTypes, ShownFields, TakenFields } from '../../fields/field-types.ts'

/** Fields by name, or a Standard Schema. */
export type Schema = DeclaredFields | StandardSchemaV1

/** A whole body or response that is a list: the field `list({ of: … })`. */
export type ListSchema = Field<readonly unknown[], readonly unknown[], readonly unknown[]>

/** What a body or a response contains. */
export type ContentSchema = Schema | ListSchema

/** True for a Standard Schema. Those of ArkType are functions. */
export const isStandardSchema = (schema: unknown): schema is StandardSchemaV1 =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema

/** Returns the schema. Throws for a value that is neither fields nor a Standard Schema; `where` begins the message. */
export function checkSchema(schema: Schema, where: string): Schema {
  if (isStandardSchema(schema)) return schema
  const called = Object.entries(isField(schema) ? {} : (schema ?? {})).find(([, field]) => typeof field === 'function')
  if (called !== undefined) checkIsField(called[1], `${where}: field "${called[0]}"`)
  const fields: unknown[] = typeof schema === 'object' && schema !== null ? Object.values(schema) : []
  if (fields.length > 0 && fields.every(isField)) return schema
  throw new Error(`${where} must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod`)
}

/** Returns the schema of a body or a response. Throws for a value that is none; `where` begins the message. */
export function checkContentSchema(schema: ContentSchema, where: string): ContentSchema {
  if (isListSchema(schema)) return schema
  return checkSchema(schema as Schema, where)
}

/** Whether a body or a response is a list. */
export const isListSchema = (schema: unknown): schema is ListSchema =>
  isField(schema) && (schema as Field).child !== undefined

/** The value of a query or a body that was checked; undefined if the view declares none. */
export type CheckedValue<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends DeclaredFields
    ? FilledValues<FieldRecords<S>>
    : undefined

/** The body of a request with this method. The body of a PATCH may lack every field; that of a PUT may lack optional ones. */
export type CheckedBody<Method, S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends DeclaredFields
    ? Method extends 'PUT'
      ? ReplacedValues<FieldRecords<S>>
      : Method extends 'PATCH'
        ? Values<FieldRecords<S>>
        : FilledValues<FieldRecords<S>>
    : S extends FieldDefinition<infer Items>
      ? Items
      : undefined

/** The members that the body contains, without defaults; undefined if no fields declare it. */
export type GivenBody<S> = S extends StandardSchemaV1
  ? undefined
  : S extends DeclaredFields
    ? Values<FieldRecords<S>>
    : undefined

/** The data of a response. It is sent as it is, so a schema must accept it and may not convert it. */
export type ResponseData<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends DeclaredFields
    ? ShownFields<FieldRecords<S>>
    : S extends Typed
      ? NonNullable<S['~types']>['shown']
      : never

/** What a client sends: a body, or the parameters of a query; undefined if the view declares none. */
export type SentData<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends DeclaredFields
    ? TakenFields<FieldRecords<S>>
    : S extends Typed
      ? NonNullable<S['~types']>['taken']
      : S

/** The type of a field that is a whole body or response. */
interface Typed {
  readonly '~types'?: FieldTypes
}
