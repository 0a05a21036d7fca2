// What a query, a body or a response contains: fields by name, as a resource declares them, or any Standard Schema
// (https://standardschema.dev), such as those of Zod, Valibot and ArkType.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { DeclaredFields, FieldRecords, FilledValues, ReplacedValues, Values } from '../fields/declared-fields.ts'
import type { ShownFields, TakenFields } from '../fields/field-types.ts'

/** Fields by name, or a Standard Schema. */
export type Schema = DeclaredFields | StandardSchemaV1

/** True for a Standard Schema. Those of ArkType are functions. */
export const isStandardSchema = (schema: unknown): schema is StandardSchemaV1 =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema

/** Returns the schema. Throws for a value that is neither fields nor a Standard Schema; `where` begins the message. */
export function checkSchema(schema: Schema, where: string): Schema {
  if (isStandardSchema(schema)) return schema
  const called = Object.entries(isField(schema) ? {} : (schema ?? {})).find(([, field]) => typeof field === 'function')
  if (called !== undefined) throw new Error(`${where}: field "${called[0]}" is a function: call it, such as integer()`)
  const fields: unknown[] = typeof schema === 'object' && schema !== null ? Object.values(schema) : []
  if (fields.length > 0 && fields.every(isField)) return schema
  throw new Error(`${where} must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod`)
}

const isField = (field: unknown): boolean =>
  typeof field === 'object' && field !== null && ('parse' in field || '_zod' in field)

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
    : undefined

/** The data of a response. It is sent as it is, so a schema must accept it and may not convert it. */
export type ResponseData<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends DeclaredFields
    ? ShownFields<FieldRecords<S>>
    : never

/** What a client sends: a body, or the parameters of a query; undefined if the view declares none. */
export type SentData<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends DeclaredFields
    ? TakenFields<FieldRecords<S>>
    : S
