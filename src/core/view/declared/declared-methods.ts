// The methods of a view with schemas: each reads the declared input before its handler runs, and turns the result of
// the handler into a response.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import { mapEntries } from '../../errors/error-tree.ts'
import { NotFound, ValidationError } from '../../errors/exceptions.ts'
import { createUnknownNameError } from '../../errors/unknown-name.ts'
import { isField } from '../../fields/check-is-field.ts'
import { createFields, type DeclaredFields } from '../../fields/declared-fields.ts'
import type { Field, Fields, ParseContext } from '../../fields/field.ts'
import { readNested } from '../../fields/read-fields.ts'
import { describeJsonSchema } from '../../fields/schema-fields/json-schema-field.ts'
import { findFile } from '../../fields/storage.ts'
import type { HandlerContext } from '../../http/context.ts'
import { listApiParameters } from '../../http/negotiation/versioning.ts'
import { type ApiResponse, JsonText, type ResponseBody } from '../../http/response.ts'
import type { PathParameters } from '../../http/urls/path-parameters.ts'
import type { Form, MethodDescription } from '../metadata.ts'
import { type CheckResponse, createResponseCheck } from '../schemas/check-response.ts'
import {
  type BodyReader,
  createBodyReader,
  createInputReader,
  type InputOwner,
  type InputReader,
} from '../schemas/input-reader.ts'
import { checkContentSchema, checkSchema, isListSchema, isStandardSchema } from '../schemas/schema.ts'
import { describeStandardSchema } from '../schemas/standard-schema.ts'
import type { View } from '../view.ts'
import { inheritsBody, isBodiless } from './check-declared-view.ts'
import type { CheckedInput, DeclaredMethod, ErrorSchemas, MethodSchemas, ResponseSchema } from './declared-view.ts'

/** The schemas that all methods of a view share. */
export interface ViewSchemas extends MethodSchemas {
  readonly parameters?: DeclaredFields
}

/** The view or the resource to which methods belong. */
export interface MethodOwner extends InputOwner {
  /** Whether queries with unknown parameters are refused; default: as the API. */
  readonly strict?: boolean
  readonly createParseContext: (context: HandlerContext) => ParseContext
  /** The fields of the response `representation`; undefined for a plain view. */
  readonly representation?: Fields
  /** Describes the response `representation` in the OpenAPI document. */
  readonly describeRepresentation?: MethodDescription['describeResponse']
  /** The parameters that select what the response `representation` shows. */
  readonly selectionNames?: readonly string[]
}

/** A method of a view. */
export interface MethodPlan {
  /** The form of the body. */
  readonly form: Pick<Form, 'fields' | 'takesAny' | 'list'>
  readonly description: MethodDescription
  /** Reads the declared query, body and parameters; rejects with ValidationError or NotFound. */
  read(context: HandlerContext): Promise<CheckedInput>
  /** Turns the result of the handler into a response. */
  respond(result: unknown, context: HandlerContext): MaybePromise<ApiResponse>
}

type MethodHandler = ((context: never) => unknown) | DeclaredMethod<never, never>

/** Creates a method. Throws for wrong schemas. */
export function createMethod(
  view: ViewSchemas,
  method: string,
  handler: MethodHandler,
  owner: MethodOwner,
): MethodPlan {
  const own: Partial<DeclaredMethod<never, never>> = typeof handler === 'function' ? {} : handler
  const label = `${owner.label}: ${method}`
  checkMethod(method, own, label)
  const response = own.response ?? view.response
  if (own.status !== undefined && response === undefined)
    throw new Error(`${label}: "status" is that of a declared "response": declare it, or return { status, body }`)
  if (response !== undefined && (own.status === 204 || own.status === 205))
    throw new Error(`${label}: a response with the status ${own.status} has no body: remove "response", or the status`)
  const [querySchema, bodySchema] = [
    own.query ?? view.query,
    own.body ?? (inheritsBody(method) ? view.body : undefined),
  ]
  const query = querySchema && createInputReader(checkSchema(querySchema, `${owner.label}: query`), owner)
  const body = bodySchema && createBodyReader(checkContentSchema(bodySchema, `${owner.label}: body`), owner)
  const readParameters = createParameterReader(view.parameters, owner)
  const described = response === undefined ? undefined : describeResponse(response, owner)
  const selectionNames = response === 'representation' ? (owner.selectionNames ?? []) : []
  const taken = selectionNames.find(name => query?.fields !== undefined && Object.hasOwn(query.fields, name))
  if (taken !== undefined)
    throw new Error(`${owner.label}: query: "${taken}" selects what the representation shows: rename the parameter`)
  const errors = describeErrorBodies({ ...view.errors, ...own.errors }, label)
  return {
    form: {
      fields: listBodyFields(method, body),
      ...(body !== undefined && body.fields === undefined && { takesAny: true }),
      ...(body?.list && { list: body.list }),
    },
    description: {
      ...(query?.fields && { query: query.fields }),
      ...(body && { hasBody: true }),
      ...findFileLimits(body?.fields),
      ...(described && { response: described.field }),
      ...(described &&
        owner.describeRepresentation &&
        response === 'representation' && { describeResponse: owner.describeRepresentation }),
      ...(own.status !== undefined && { status: own.status }),
      ...(Object.keys(errors).length > 0 && { errors }),
      ...(view.parameters && { parameters: createFields(view.parameters, `${owner.label}: parameters`) }),
    },
    async read(context) {
      const parse = owner.createParseContext(context)
      const readContext = { request: context, parse }
      const parameters = await readParameters(context)
      return {
        parameters,
        query: query && (await readQuery(query, readContext, { strict: owner.strict, selectionNames })),
        ...((await body?.readBody({
          request: context,
          parse: { ...parse, refusesUnknown: (context.view as View).unknownFields === 'refuse' },
        })) ?? noBody),
      }
    },
    respond: described
      ? (result, context) => createResponse(result, context, { label, status: own.status ?? 200, ...described })
      : result => checkResult(result, label),
  }
}

// A few further files are skipped.
function findFileLimits(fields: Fields = {}): Pick<MethodDescription, 'files'> {
  const rules = Object.values(fields).flatMap(field => {
    const file = findFile(field)
    return file === undefined
      ? []
      : { count: field.file === undefined ? field.bounds.max_length! : 1, size: file.maxSize }
  })
  if (rules.length === 0) return {}
  const maxFiles = rules.reduce((sum, { count }) => sum + count, 10)
  return { files: { maxFiles, maxSize: rules.reduce((sum, { count, size }) => sum + count * size, 0) } }
}

const noBody = { body: undefined, given: undefined }

function listBodyFields(method: string, { fields = {}, isPartial = false }: Partial<BodyReader> = {}): Fields {
  return method === 'PATCH' && isPartial ? mapEntries(fields, field => ({ ...field, required: false })) : fields
}

function checkMethod(method: string, { body, status }: Partial<DeclaredMethod<never, never>>, label: string): void {
  if (body !== undefined && isBodiless(method))
    throw new Error(`${label}: a request with this method has no body: declare a "query"`)
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status < 300))
    throw new Error(`${label}: status must be a number from 200 to 299: throw an exception for an error`)
}

function createParameterReader(
  declared: DeclaredFields | undefined,
  { label, createParseContext }: MethodOwner,
): (context: HandlerContext) => MaybePromise<Readonly<Record<string, unknown>>> {
  const fields = declared && createFields(declared, `${label}: parameters`)
  return fields === undefined
    ? readTexts
    : async context => {
        const texts = readTexts(context)
        try {
          return { ...texts, ...(await readNested(fields, texts, createParseContext(context))) }
        } catch (error) {
          throw error instanceof ValidationError ? new NotFound() : error
        }
      }
}

// The router matches empty parameters and those with a NUL, which no database stores. Neither identifies anything.
function readTexts({ request: { params } }: HandlerContext): PathParameters {
  const parameters = params as PathParameters
  if (Object.values(parameters).some(text => text === '' || text.includes('\0'))) throw new NotFound()
  return parameters
}

function readQuery(
  reader: InputReader,
  context: Parameters<InputReader['readQuery']>[1],
  { strict, selectionNames }: { readonly strict: boolean | undefined; readonly selectionNames: readonly string[] },
): Promise<unknown> {
  const { request } = context
  const view = request.view as View
  const query = new URLSearchParams(request.request.url.split('?', 2)[1] ?? '')
  // If a schema does not describe its input, the schema itself decides about unknown parameters.
  for (const name of selectionNames) query.delete(name)
  if ((strict ?? view.strict) && reader.fields !== undefined) checkNames(query, Object.keys(reader.fields), view)
  for (const name of listApiParameters(view)) query.delete(name)
  return reader.readQuery(query, context)
}

function checkNames(query: URLSearchParams, names: readonly string[], view: View): void {
  const known = [...names, ...listApiParameters(view)]
  for (const name of query.keys())
    if (!known.includes(name))
      throw new ValidationError({ [name]: [createUnknownNameError('unknown_parameter', name, known)] })
}

function checkResult(result: unknown, label: string): ApiResponse {
  if (typeof result === 'object' && result !== null && 'status' in result) return result as ApiResponse
  throw new Error(
    `${label}: the handler returned ${result === null ? 'null' : typeof result}: return { status, body }, or declare a "response"`,
  )
}

interface DescribedResponse {
  /** Whether the response is an object. */
  readonly isObject: boolean
  readonly field: Field
  /** Undefined for the representation of an object, which is always right. */
  readonly check: CheckResponse | undefined
}

function describeResponse(schema: ResponseSchema, { label, representation }: MethodOwner): DescribedResponse {
  if (schema === 'representation') {
    if (representation === undefined)
      throw new Error(`${label}: response: only views of a resource respond with a representation: declare fields`)
    return { field: describeObject(representation), check: undefined, isObject: true }
  }
  const checked = checkContentSchema(schema, `${label}: response`)
  if (isListSchema(checked)) return { field: checked, check: createResponseCheck(checked, {}), isObject: false }
  if (isStandardSchema(checked))
    return {
      field: describeStandardSchema(checked) ?? describeAny(),
      check: createResponseCheck(checked, {}),
      isObject: false,
    }
  const fields = createFields(checked, `${label}: response`)
  return { field: describeObject(fields), check: createResponseCheck(checked, fields), isObject: true }
}

const describeErrorBodies = (schemas: ErrorSchemas, label: string): Readonly<Record<string, Field | 'document'>> =>
  mapEntries(schemas as Record<string, ErrorSchemas[number]>, schema => {
    if (schema === 'document') return schema
    if (isStandardSchema(schema)) return describeStandardSchema(schema) ?? describeAny()
    return isField(schema)
      ? (schema as Field)
      : describeObject(createFields(schema as DeclaredFields, `${label}: errors`))
  })

const describeAny = (): Field => describeJsonSchema({})

const describeObject = (fields: Fields): Field => ({
  ...describeJsonSchema({ type: 'object' }),
  children: fields,
  describeShown: builder => builder.shownObject(fields),
})

async function createResponse(
  result: unknown,
  { view }: HandlerContext,
  { label, status, check, isObject }: DescribedResponse & { readonly label: string; readonly status: number },
): Promise<ApiResponse> {
  if (check === undefined && !(result instanceof JsonText))
    throw new Error(`${label}: the view declares the response "representation": return represent() or update(…)`)
  if (result === undefined) throw new Error(`${label}: the handler returned no response`)
  if (result === null && isObject)
    throw new Error(`${label}: the handler returned null: return what "response" declares`)
  if ((view as View).checksResponses) await check?.(result, label)
  return { status, body: result as ResponseBody }
}
