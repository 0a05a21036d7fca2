// Reads the query, the body and the path parameters that a view declares. Rejects with ValidationError (400), whose errors
// are keyed by name.

import { mapEntries } from '../../errors/error-tree.ts'
import { UnsupportedMediaType, ValidationError } from '../../errors/exceptions.ts'
import { replaceMessages } from '../../errors/field-messages.ts'
import { createFields } from '../../fields/declared-fields.ts'
import type { Field, Fields, ParseContext } from '../../fields/field.ts'
import { listVisibleFields } from '../../fields/field-visibility.ts'
import { receiveForm } from '../../fields/files/receive-files.ts'
import { absent } from '../../fields/forms/form-value.ts'
import {
  type Check,
  createDefaults,
  defaultValues,
  readFields,
  readParameters,
  readPresent,
  selectGiven,
} from '../../fields/read-fields.ts'
import type { SchemaField } from '../../fields/schema-fields/json-schema-field.ts'
import { convertStrings } from '../../fields/schema-fields/json-schema-strings.ts'
import { findFile } from '../../fields/storage.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { Envelope } from '../../http/envelope/envelope.ts'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import { csrfField } from '../../policy/authentication/csrf.ts'
import { unwrapBody } from '../envelope/wrap.ts'
import type { View } from '../view.ts'
import { type ContentSchema, isListSchema, isStandardSchema, type ListSchema, type Schema } from './schema.ts'
import { checkBySchema, describeStandardSchema } from './standard-schema.ts'

/** Creates the check of values against the database, for these fields. */
export type CreateCheck = (fields: Fields) => (context: HandlerContext) => Check

/** The request, and the context of its fields. */
export interface ReadContext {
  readonly request: HandlerContext
  readonly parse: ParseContext
}

export interface BodyReader {
  /** The fields of the input, for forms and `OPTIONS`; undefined if only the schema knows them. */
  readonly fields: Fields | undefined
  /** True: the body of a PATCH may lack every field. */
  readonly isPartial: boolean
  /** The list that is the whole input; undefined for others. */
  readonly list?: ListSchema
  /** Reads the body of the request. The body of a PATCH may lack every field; that of a PUT may lack optional ones. */
  readBody(context: ReadContext): Promise<ReadBody>
}

/** A form may contain a CSRF token. */
const otherNames: ReadonlySet<string> = new Set([csrfField])

export interface InputReader extends BodyReader {
  /** Reads the parameters of a query. */
  readQuery(query: URLSearchParams, context: ReadContext): Promise<unknown>
}

/** A body. */
export interface ReadBody {
  readonly body: unknown
  /** The values of the fields that it contains; undefined if it is not read by fields. */
  readonly given: Readonly<Record<string, unknown>> | undefined
}

/** The view to which an input belongs. */
export interface InputOwner {
  /** Begins the messages about wrong fields. */
  readonly label: string
  readonly createCheck?: CreateCheck
  /** The names around the fields of a body; a schema describes the whole body. */
  readonly envelope?: Envelope | undefined
}

/** Creates the reader of a declared query. */
export const createInputReader = (schema: Schema, owner: InputOwner): InputReader =>
  isStandardSchema(schema)
    ? createSchemaReader(schema)
    : createFieldsReader(refuseFiles(createFields(schema, owner.label), owner), owner)

/** Creates the reader of a declared body. */
export function createBodyReader(schema: ContentSchema, owner: InputOwner): BodyReader {
  if (isListSchema(schema)) return createListReader(schema)
  return isStandardSchema(schema)
    ? createSchemaReader(schema)
    : createFieldsReader(createFields(schema, owner.label), owner)
}

function refuseFiles(fields: Fields, { label }: InputOwner): Fields {
  const file = Object.entries(fields).find(([, field]) => findFile(field))
  if (file !== undefined) throw new Error(`${label}: field "${file[0]}" is a file, which only a body contains`)
  return fields
}

function createFieldsReader(fields: Fields, { createCheck, envelope }: InputOwner): InputReader {
  const check = createCheck?.(fields)
  const takesFiles = Object.values(fields).some(field => findFile(field) !== undefined)
  const readable = mapEntries(fields, forgetFile)
  return {
    fields,
    isPartial: true,
    async readBody({ request, parse }) {
      const { method } = request
      const options = { context: parse, partial: method === 'PATCH', exists: method === 'PUT', otherNames }
      const visible = listVisibleFields(readable, request)
      const unwrapped = unwrapBody(request, envelope)
      const body =
        unwrapped.kind === 'upload' && takesFiles
          ? await receiveForm(unwrapped, listVisibleFields(fields, request))
          : unwrapped
      const values = await readFields(visible, body, options, check?.(request))
      const isComplete = !options.partial && !options.exists
      return {
        body: isComplete ? { ...(await listHiddenDefaults(fields, visible, parse)), ...values } : values,
        given: selectGiven(visible, body, values, options),
      }
    },
    async readQuery(query, { request, parse }) {
      const visible = listVisibleFields(fields, request)
      const values = await readParameters(visible, query, parse, check?.(request))
      return { ...(await listHiddenDefaults(fields, visible, parse)), ...values }
    },
  }
}

// A PUT of a view changes no object whose file could stay.
function forgetFile({ file: _, ...field }: Field): Field {
  return field
}

async function listHiddenDefaults(
  fields: Fields,
  visible: Fields,
  parse: ParseContext,
): Promise<Readonly<Record<string, unknown>>> {
  const hidden = Object.entries(fields).filter(([name]) => !Object.hasOwn(visible, name))
  if (hidden.length === 0) return {}
  const others = Object.fromEntries(hidden)
  return { ...defaultValues(others), ...(await createDefaults(others, parse)) }
}

const createListReader = (list: ListSchema): BodyReader => ({
  fields: undefined,
  isPartial: false,
  list,
  async readBody({ request, parse }) {
    try {
      return { body: await readPresent(list, readData(request.requestBody, undefined), parse), given: undefined }
    } catch (error) {
      throw error instanceof ValidationError ? new ValidationError(replaceMessages(error.errors, list.messages)) : error
    }
  },
})

function createSchemaReader(schema: Parameters<typeof checkBySchema>[0]): InputReader {
  const description = describeStandardSchema(schema)
  return {
    fields: description?.children,
    isPartial: false,
    async readBody({ request }) {
      const data = readData(request.requestBody, description)
      return { body: await checkBySchema(schema, data, findNonFieldErrorsKey(request)), given: undefined }
    },
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
  if (texts.length > 1 || field?.kind.hasItems) return texts
  const [text] = texts
  if (text !== '' || field === undefined || !hasNoEmptyText(field)) return text
  if (field.nullable) return null
  return field.required ? text : absent
}

const hasNoEmptyText = ({ convertsTo, blank }: SchemaField): boolean => convertsTo !== undefined || blank === false
