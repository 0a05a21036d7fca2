// The response to a test's request, and what a test can expect of it.

import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'
import type { RawResponse } from './transport.ts'

/** Checks a value and returns it with its type; throws if it is invalid. Zod schemas have this method. */
export interface ResponseSchema<Value> {
  parse(value: unknown): Value
}

export interface TestResponse {
  readonly status: number
  /** `headers.get('location')`; names are case-insensitive. */
  readonly headers: Headers
  /** The body as text in UTF-8. */
  readonly text: string
  /** The body as it arrived. */
  readonly bytes: Uint8Array
  /** The parsed body. Throws if the body is not JSON. */
  json(): unknown
  /** The parsed body, with the type of the schema. Throws if the body does not match it. */
  json<Value>(schema: ResponseSchema<Value>): Value
  /** Throws an AssertionError with the request and the body if the status differs. */
  expect(status: number): TestResponse
}

/**
 * A request that was sent. Await it for the response, or call `expect` and `json` first:
 * `await api.get('/orders/').expect(200).json()`.
 */
export interface PendingResponse extends Promise<TestResponse> {
  /** Rejects with an AssertionError if the status differs. */
  expect(status: number): PendingResponse
  json(): Promise<unknown>
  json<Value>(schema: ResponseSchema<Value>): Promise<Value>
}

export interface Exchange {
  /** The method and the path, for error messages. */
  readonly request: string
  readonly response: RawResponse
  /** The errors of the application that caused a response with 5xx. */
  readonly errors: readonly unknown[]
}

export function createResponse({ request, response: { status, headers, body }, errors }: Exchange): TestResponse {
  const text = body.toString('utf8')
  const shown = `${request} responded ${status}`
  const parse = () => {
    try {
      return JSON.parse(text) as unknown
    } catch (error) {
      throw new Error(`${shown} with a body that is not JSON: ${formatBody(text)}`, { cause: error })
    }
  }
  const response: TestResponse = {
    status,
    headers: toHeaders(headers),
    text,
    bytes: body,
    json: <Value>(schema?: ResponseSchema<Value>) => {
      const value = parse()
      if (schema === undefined) return value as Value
      try {
        return schema.parse(value)
      } catch (error) {
        throw new Error(
          `${shown} with a body that does not match the schema: ${formatError(error)}${formatBody(text)}`,
          {
            cause: error,
          },
        )
      }
    },
    expect(expected) {
      if (status === expected) return response
      throw new AssertionError({
        message: `${shown}, expected ${expected}${formatBody(text)}${formatCauses(errors)}`,
        actual: status,
        expected,
        operator: 'expect',
        stackStartFn: response.expect,
      })
    },
  }
  return response
}

/** Adds `expect` and `json` to the promise of a response. */
export function createPendingResponse(promise: Promise<TestResponse>): PendingResponse {
  const pending: PendingResponse = Object.assign(promise, {
    expect(status: number) {
      const call: { stack?: string } = {}
      Error.captureStackTrace(call, pending.expect)
      return createPendingResponse(promise.then(response => expectAt(call, response, status)))
    },
    json: <Value>(schema?: ResponseSchema<Value>) =>
      promise.then(response => (schema === undefined ? (response.json() as Value) : response.json(schema))),
  })
  return pending
}

// The error shows where the test called `expect`; by the time the response arrives, that line has left the stack.
function expectAt({ stack = '' }: { stack?: string }, response: TestResponse, status: number): TestResponse {
  try {
    return response.expect(status)
  } catch (error) {
    const { name, message } = error as Error
    throw Object.assign(error as Error, { stack: `${name}: ${message}\n${stack.split('\n').slice(1).join('\n')}` })
  }
}

function toHeaders(fields: RawResponse['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields))
    for (const item of [value ?? []].flat()) headers.append(name, String(item))
  return headers
}

/** The maximum length of a body in an error message. */
const maxShown = 4000

function formatBody(text: string): string {
  if (text === '') return '\n(no body)'
  return `\n${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`
}

// A response with 5xx does not tell clients the reason, but a test must know it.
const formatCauses = (errors: readonly unknown[]): string =>
  errors.map(error => `\nThe application threw: ${inspect(error)}`).join('')

const formatError = (error: unknown): string => (error instanceof Error ? error.message : String(error))
