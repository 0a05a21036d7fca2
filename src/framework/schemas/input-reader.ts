// Reads the query, the body and the path parameters that a view declares. Rejects with ValidationError (400), whose errors
// are keyed by name.

import { csrfField } from '../authentication/csrf.ts'
import type { HandlerContext } from '../context.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { unwrapBody } from '../envelope/wrap.ts'
import { UnsupportedMediaType } from '../errors/exceptions.ts'
import { createFields } from '../fields/declared-fields.ts'
import type { Fields, ParseContext } from '../fields/field.ts'
import { listVisibleFields } from '../fields/field-visibility.ts'
import { absent } from '../fields/form-value.ts'
import type { SchemaField } from '../fields/json-schema-field.ts'
import { convertStrings } from '../fields/json-schema-strings.ts'
import { type Check, defaultValues, readFields, readParameters } from '../fields/read-fields.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import type { View } from '../view.ts'
import { isStandardSchema, type Schema } from './schema.ts'
import { checkBySchema, describeStandardSchema } from './standard-schema.ts'

/** Creates the check of values against the database, for these fields. */
export type CreateCheck = (fields: Fields) => (context: HandlerContext) => Check

/** The request, and the context of its fields. */
export interface ReadContext {
  readonly request: HandlerContext
  readonly parse: ParseContext
}

export interface InputReader {
  /** The fields of the input, for forms and `OPTIONS`; undefined if only the schema knows them. */
  readonly fields: Fields | undefined
  /** True: the body of a PATCH may lack every field. */
  readonly isPartial: boolean
  /** Reads the body of the request. The body of a PATCH may lack every field; that of a PUT may lack optional ones. */
  readBody(context: ReadContext): Promise<unknown>
  /** Reads the parameters of a query. */
  readQuery(query: URLSearchParams, context: ReadContext): Promise<unknown>
}

/** The view to which an input belongs. */
export interface InputOwner {
  /** Begins the messages about wrong fields. */
  readonly label: string
  readonly createCheck?: CreateCheck
  /** The names around the fields of a body; a schema describes the whole body. */
  readonly envelope?: Envelope | undefined
}

/** Creates the reader of a declared query or body. */
export const createInputReader = (schema: Schema, owner: InputOwner): InputReader =>
  isStandardSchema(schema) ? createSchemaReader(schema) : createFieldsReader(createFields(schema, owner.label), owner)

function createFieldsReader(fields: Fields, { label, createCheck, envelope }: InputOwner): InputReader {
  const file = Object.entries(fields).find(([, field]) => field.file)
  if (file !== undefined)
    throw new Error(`${label}: field "${file[0]}" is a file, which only a create or update of a resource accepts`)
  const check = createCheck?.(fields)
  return {
    fields,
    isPartial: true,
    async readBody({ request, parse }) {
      const { method } = request
      const options = { context: parse, partial: method === 'PATCH', exists: method === 'PUT' }
      const body = unwrapBody(request.requestBody, envelope)
      const visible = listVisibleFields(fields, request)
      const values = await readFields(visible, body, options, check?.(request))
      return options.partial || options.exists ? values : { ...listHiddenDefaults(fields, visible), ...values }
    },
    async readQuery(query, { request, parse }) {
      const visible = listVisibleFields(fields, request)
      const values = await readParameters(visible, query, parse, check?.(request))
      return { ...listHiddenDefaults(fields, visible), ...values }
    },
  }
}

function listHiddenDefaults(fields: Fields, visible: Fields): Readonly<Record<string, unknown>> {
  const hidden = Object.entries(fields).filter(([name]) => !Object.hasOwn(visible, name))
  return hidden.length === 0 ? {} : defaultValues(Object.fromEntries(hidden))
}

function createSchemaReader(schema: Parameters<typeof checkBySchema>[0]): InputReader {
  const description = describeStandardSchema(schema)
  return {
    fields: description?.children,
    isPartial: false,
    readBody: ({ request }) =>
      checkBySchema(schema, readData(request.requestBody, description), findNonFieldErrorsKey(request)),
    readQuery: (query, { request }) =>
      checkBySchema(schema, readTexts(query, description), findNonFieldErrorsKey(request)),
  }
}

const findNonFieldErrorsKey = ({ view }: HandlerContext): string => (view as View).nonFieldErrorsKey

function readData(body: RequestBody, description: SchemaField | undefined): unknown {
  switch (body.kind) {
    case 'data':
      return body.data
    case 'form':
      return readTexts(body.form, description)
    case 'empty':
      return description === undefined || description.children ? {} : undefined
    case 'parts':
    case 'upload':
      throw new UnsupportedMediaType('multipart/form-data')
  }
}

/**
 * The parameters by name; those that are repeated, and those that are lists in the schema, are lists. An empty text stands
 * for null or for an absent value where the schema has one of them and no empty text.
 */
function readTexts(parameters: URLSearchParams, description: SchemaField | undefined): unknown {
  const names = new Set(parameters.keys())
  names.delete(csrfField)
  const texts = Object.fromEntries(
    [...names].flatMap(name => {
      const value = toValue(parameters.getAll(name), description?.children?.[name])
      return value === absent ? [] : [[name, value]]
    }),
  )
  return description === undefined ? texts : convertStrings(texts, description)
}

function toValue(texts: readonly string[], field: SchemaField | undefined): unknown {
  if (texts.length > 1 || field?.type === 'list') return texts
  const [text] = texts
  if (text !== '' || field === undefined || !hasNoEmptyText(field)) return text
  if (field.nullable) return null
  return field.required ? text : absent
}

const hasNoEmptyText = ({ convertsTo, blank }: SchemaField): boolean => convertsTo !== undefined || blank === false
