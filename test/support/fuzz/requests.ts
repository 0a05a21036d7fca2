// Arbitraries of the requests that the operations of a document describe, and of requests that they almost describe.

import fc from 'fast-check'
import type { OpenApiDocument } from 'resource-api'
import { type CreateValues, createSchemaValues, hostileTexts, KnownValue } from './schema-values.ts'

type Operation = OpenApiDocument['paths'][string][string]
type Parameter = NonNullable<Operation['parameters']>[number]
type Pairs = readonly (readonly [name: string, value: unknown])[]

/** A request whose known values are not filled in yet. */
export interface PlannedRequest {
  readonly operationId: string
  readonly method: string
  /** The path with its parameters in braces. */
  readonly template: string
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Pairs
  readonly headers: Pairs
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined
  /** Chooses the caller. */
  readonly caller: number
}

/** The requests of all operations. */
export function createRequests(document: OpenApiDocument): fc.Arbitrary<PlannedRequest> {
  const exact = createSchemaValues(document, { isExact: true })
  const close = createSchemaValues(document, { isExact: false })
  const requests = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      [exact, close].map(create => createRequest({ template, method: method.toUpperCase(), operation }, create)),
    ),
  )
  return fc.oneof(...requests)
}

interface Described {
  readonly template: string
  readonly method: string
  readonly operation: Operation
}

function createRequest({ template, method, operation }: Described, create: CreateValues): fc.Arbitrary<PlannedRequest> {
  const { operationId, parameters = [], requestBody } = operation
  const ofPlace = (place: string) => parameters.filter(parameter => parameter.in === place)
  const path = Object.fromEntries(
    ofPlace('path').map(({ name, schema }) => [name, createKey(template, name, create(schema ?? {}))]),
  )
  return fc.record({
    operationId: fc.constant(operationId),
    method: fc.constant(method),
    template: fc.constant(template),
    path: fc.record(path),
    query: createQuery(ofPlace('query'), create),
    headers: fc.tuple(createHeaders(ofPlace('header')), accept).map(parts => parts.flat()),
    body: requestBody === undefined ? fc.constant(undefined) : createBody(requestBody.content, create),
    caller: fc.nat(),
  })
}

// Most keys are those of objects in the list whose name stands before the parameter.
function createKey(template: string, name: string, free: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const segments = template.split('/')
  const list = segments[segments.indexOf(`{${name}}`) - 1]!
  const known = fc.nat().map(index => new KnownValue(list, index, true))
  return fc.oneof(
    { arbitrary: known, weight: 12 },
    { arbitrary: free, weight: 1 },
    { arbitrary: fc.constantFrom(...hostileTexts), weight: 1 },
  )
}

const maxParameters = 4

function createQuery(parameters: readonly Parameter[], create: CreateValues): fc.Arbitrary<Pairs> {
  if (parameters.length === 0) return fc.constant([])
  const pairs = parameters.map(({ name, schema = {} }) =>
    fc
      .oneof({ arbitrary: create(schema, name), weight: 8 }, { arbitrary: fc.constantFrom(...hostileTexts), weight: 1 })
      .map(value => [name, value] as const),
  )
  return fc.array(fc.oneof(...pairs), { maxLength: maxParameters })
}

const fieldTexts: Readonly<Record<string, readonly string[]>> = {
  'Idempotency-Key': ['"one"', '"two"', 'three', '', '"é"'],
  Prefer: ['return=minimal', 'return=representation', 'handling=strict', 'return=nothing', ';'],
  Range: ['bytes=0-3', 'bytes=2-', 'bytes=-2', 'bytes=9-1', 'bytes=999999-', 'lines=1-2', 'bytes=0-0,2-2'],
  'If-Modified-Since': ['Wed, 01 Jan 2020 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT', 'yesterday'],
}

/** Stands for the tag of the representation at the URL of the request. */
export const knownTag = '{tag}'

const tagTexts = [...Array<string>(6).fill(knownTag), '*', '"other"', 'W/"weak"', 'unquoted', '"a", "b"', '']

function createHeaders(parameters: readonly Parameter[]): fc.Arbitrary<Pairs> {
  const fields = parameters.map(({ name }) =>
    fc.constantFrom(...(fieldTexts[name] ?? tagTexts)).map(value => [name, value] as const),
  )
  return fields.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...fields), { maxLength: 2 })
}

const accept: fc.Arbitrary<Pairs> = fc
  .oneof(
    { arbitrary: fc.constantFrom('application/json', '*/*'), weight: 8 },
    {
      arbitrary: fc.constantFrom(
        'application/problem+json',
        'text/html',
        '*/*',
        'image/png',
        'application/*;q=0.1',
        ';',
      ),
      weight: 1,
    },
  )
  .map(value => [['Accept', value]])

function createBody(
  content: NonNullable<Operation['requestBody']>['content'],
  create: CreateValues,
): fc.Arbitrary<PlannedRequest['body']> {
  const bodies = Object.entries(content).map(([mediaType, { schema = {} }]) =>
    create(schema).map(value => ({ mediaType, value })),
  )
  const others = fc.constantFrom(
    undefined,
    { mediaType: 'application/json', value: [] },
    { mediaType: 'image/png', value: 'x' },
    { mediaType: '', value: {} },
  )
  return fc.oneof({ arbitrary: fc.oneof(...bodies), weight: 20 }, { arbitrary: others, weight: 1 })
}
