// JSON bodies (RFC 8259), strictly: no NaN, no numbers beyond the range of a double, limited size and depth. Integers
// keep their digits: those beyond ±(2^53 - 1) become `bigint`.

import type { FastifyRequest } from 'fastify'
import { parseIntegers } from '../../base/exact-json.ts'
import { ParseError } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { Parser } from './parser.ts'
import { readText } from './read-body.ts'
import { emptyBody } from './request-body.ts'

export interface JsonParserOptions {
  /** The largest body in bytes; default 4 MiB. */
  readonly limit?: number
  /** The maximum nesting of arrays and objects; default 64. */
  readonly depth?: number
}

const defaultDepth = 64
const createTooDeepError = () => new ParseError(frameworkMessages('parse_error.json_depth'))

export function jsonParser({ limit = 4 * 1024 * 1024, depth = defaultDepth }: JsonParserOptions = {}): Parser {
  return Object.freeze({
    mediaType: 'application/json',
    async parse(request: FastifyRequest) {
      const text = await readText(request, limit, 'JSON parse error')
      if (text === '') return emptyBody
      return { kind: 'data', data: parseJson(text, depth) } as const
    },
  })
}

/** Parses a JSON text whose arrays and objects nest no deeper than `depth`; throws ParseError. */
export function parseJson(text: string, depth = defaultDepth): unknown {
  const value = parseText(text)
  checkValue(value, depth)
  return value
}

function parseText(text: string): unknown {
  try {
    return parseIntegers(text)
  } catch (error) {
    // A stack overflow: only deep nesting causes it.
    if (error instanceof RangeError) throw createTooDeepError()
    throw new ParseError(frameworkMessages('parse_error.json', { reason: toReason((error as Error).message) }))
  }
}

// Removes V8's quotation of the text around the error, so that no part of a request body is logged.
function toReason(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, '').replace(/ \(line \d+ column \d+\)$/, '')
}

function checkValue(value: unknown, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ParseError(frameworkMessages('parse_error.json_range'))
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw createTooDeepError()
  if (Array.isArray(value)) for (const item of value) checkValue(item, depth - 1)
  // Data of JSON inherits no enumerable properties, and listing its values would copy them.
  else for (const name in value) checkValue((value as Readonly<Record<string, unknown>>)[name], depth - 1)
}
