// Compares responses with the document of their API, in tests and in development, so that the document stays true.

import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createBoundedMap, type OpenApiDocument, type Response } from '#core'
import { findOperation, type OperationPath } from './find-operation.ts'
import { createSchemaValidator, type FindValidator } from './schema-validator.ts'
import { listDocuments } from './server-document.ts'

/** A request and its response. */
export interface Exchange {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, unknown>>
  /** Undefined: not known. */
  readonly body: Buffer | undefined
}

/** Returns how a response differs from the document; nothing for URLs and methods that no document describes. */
export type CheckExchange = (exchange: Exchange) => readonly string[]

const maxDifferences = 10
const maxBody = 1000

/** The message about a response that its document does not allow. */
export const describeDifferences = (exchange: Exchange, differences: readonly string[]): string =>
  [
    `${exchange.method} ${exchange.url}: the response ${exchange.status} is not what the OpenAPI document says:`,
    ...differences.slice(0, maxDifferences),
    exchange.body?.toString('utf8', 0, maxBody) ?? '',
  ].join('\n')

/**
 * Creates the check of responses of an application by the documents of its APIs. The part of a document that describes a path
 * is made at the first response for it. The response has the status, the media type, the header fields and the body of one that
 * the document allows.
 */
export function createResponseChecker(app: FastifyInstance): CheckExchange {
  const validators = new WeakMap<OpenApiDocument, FindValidator>()
  return exchange => {
    for (const { prefix, document } of listDocuments(app)) {
      const [path = ''] = exchange.url.split('?', 1)
      if (!path.startsWith(prefix)) continue
      const below = path.slice(prefix.length)
      const made = document.forPath(below)
      const found = findOperation(made, below, exchange.method)
      if (found === undefined) continue
      const find = validators.get(made) ?? findValidator(made)
      validators.set(made, find)
      return checkResponse(exchange, made, found, find)
    }
    return []
  }
}

// Compiling schemas is slow, and tests often start several applications with equal documents: one for each database.
const knownValidators = createBoundedMap<string, FindValidator>({ maxSize: 500 })

function findValidator(document: OpenApiDocument): FindValidator {
  const digest = hash('sha256', JSON.stringify(document))
  const find = knownValidators.get(digest) ?? createSchemaValidator(document)
  knownValidators.set(digest, find)
  return find
}

function checkResponse(
  exchange: Exchange,
  document: OpenApiDocument,
  path: OperationPath,
  find: FindValidator,
): readonly string[] {
  const found = findResponse(document, path, exchange.status)
  if (found === undefined && isUndescribed(exchange)) return []
  if (found === undefined) return [`the status ${exchange.status} is not listed`]
  return [...checkHeaders(exchange, found), ...checkBody(exchange, found, find)]
}

interface FoundResponse {
  readonly response: Response
  readonly path: readonly string[]
  /** Whether it describes several statuses. */
  readonly isRange: boolean
}

// A document has each URL either with a slash at its end or without one; the other form is redirected. Pages redirect browsers
// to the URL of a list without empty parameters, and show another one after some of their forms; no document describes pages.
const isUndescribed = ({ status, headers }: Exchange): boolean =>
  [301, 308].includes(status) || ([200, 303].includes(status) && /^text\/html/.test(String(headers['content-type'])))

// `default` describes errors.
function findResponse(document: OpenApiDocument, path: OperationPath, status: number): FoundResponse | undefined {
  const { responses } = path.operation
  const names = [String(status), `${String(status)[0]}XX`, ...(status >= 400 ? ['default'] : [])]
  const name = names.find(each => Object.hasOwn(responses, each))
  if (name === undefined) return undefined
  const response = responses[name]!
  const isRange = name !== String(status)
  if (!('$ref' in response)) return { response, path: [...path.path, 'responses', name], isRange }
  const component = (response.$ref as string).replace('#/components/responses/', '')
  return { response: document.components.responses[component]!, path: ['components', 'responses', component], isRange }
}

function checkHeaders({ headers }: Exchange, { response }: FoundResponse): readonly string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
    'required' in header && header.required === true && headers[name.toLowerCase()] === undefined
      ? [`the header field ${name} is missing`]
      : [],
  )
}

// Clients may ask for responses without bodies (RFC 7240 §4.2).
const isMinimal = ({ headers }: Exchange): boolean => headers['preference-applied'] === 'return=minimal'

const pageTypes = ['text/html', 'text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']

function checkBody(exchange: Exchange, found: FoundResponse, find: FindValidator): readonly string[] {
  const { status, headers, body } = exchange
  const { content } = found.response
  // The body of an error without a description is that of the application's own exception handler.
  if (body === undefined || (content === undefined && status >= 400)) return []
  if (body.length === 0)
    return content === undefined || found.isRange || isMinimal(exchange) ? [] : ['the body is empty']
  const [type = ''] = String(headers['content-type'] ?? '').split(';', 1)
  // Pages for people, and the files to which they lead, are the same data.
  if (pageTypes.includes(type) && content?.[type] === undefined) return []
  if (content === undefined) return [`there is a body, of the type ${type}`]
  const range = [type, `${type.split('/')[0]}/*`, '*/*'].find(each => Object.hasOwn(content, each))
  if (range === undefined) return [`the media type ${type} is not listed: ${Object.keys(content).join(', ')}`]
  if (content[range]!.schema === undefined || !/^application\/(?:.+\+)?json$/.test(type) || headers['content-encoding'])
    return []
  return find([...found.path, 'content', range, 'schema'])(JSON.parse(body.toString()))
}
