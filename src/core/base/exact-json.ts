// JSON whose numbers keep their digits. A JavaScript number is exact only for integers up to 2^53 - 1.

import { isObject } from './is-object.ts'

// TypeScript does not declare JSON.rawJSON yet (ECMAScript 2026).
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }

// Only -0 and numbers with a fraction, an exponent, or 16 digits or more may be formatted differently than written.
const inexactNumber = /(?:"\s*:|[[,])\s*(?:-0|-?\d+[.eE]|-?\d{16})/

// Fast path: long texts without such digits are common, and matching the full pattern takes longer.
const inexactDigits = /-0|\d[.eE]|\d{16}/

/** Whether JSON.stringify(JSON.parse(text)) may change a number of this text. */
const mayChangeNumbers = (text: string): boolean =>
  /^[-\d]/.test(text) || (inexactDigits.test(text) && inexactNumber.test(text))

/**
 * Parses JSON twice: `data` to read, and `exact` to format again with unchanged digits. Both are the same object if no
 * number could change.
 */
export function parseTwice(text: string): { readonly data: unknown; readonly exact: unknown } {
  const data = parseIntegers(text)
  return { data, exact: mayChangeNumbers(text) ? parseNumbersExactly(text) : data }
}

/** Parses JSON into data that formats again with unchanged digits, whatever the size of its numbers. */
export function parseExactNumbers(text: string): unknown {
  return mayChangeNumbers(text) ? parseNumbersExactly(text) : JSON.parse(text)
}

function parseNumbersExactly(text: string): unknown {
  return JSON.parse(text, (_, value, context?: { source?: string }) =>
    typeof value === 'number' ? rawJson(context!.source!) : value,
  )
}

// Only an integer of sixteen digits or more can be beyond 2^53 - 1.
const sixteenDigits = /\d{16}/

/**
 * Parses JSON; an integer beyond ±(2^53 - 1) becomes a `bigint`, any other number a double. Throws SyntaxError.
 *
 * @example
 * parseIntegers('[1, 12345678901234567890]') // [1, 12345678901234567890n]
 */
export function parseIntegers(text: string): unknown {
  if (!sixteenDigits.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isFinite(value)) return value
    const source = context!.source!
    return /^-?\d+$/.test(source) ? BigInt(source) : value
  })
}

/** Formats data as JSON, indented by `indent` spaces; a `bigint` is written as its digits. */
export function formatJson(data: unknown, indent = 0): string {
  try {
    return JSON.stringify(data, null, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The data contains a bigint, or it is cyclic. For cyclic data, this call throws the same error.
    return JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? rawJson(String(value)) : value), indent)
  }
}

/**
 * Formats data as JSON with the members of each object in one order, so equal data has equal texts. A `bigint` is written as its
 * digits.
 *
 * @example
 * formatSortedJson({ b: 1, a: [2n] }) // '{"a":[2],"b":1}'
 */
export const formatSortedJson = (data: unknown): string =>
  JSON.stringify(data, (_, value) => {
    if (typeof value === 'bigint') return rawJson(String(value))
    return isObject(value) ? sortMembers(value) : value
  })

const sortMembers = (object: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.keys(object)
      .sort()
      .map(name => [name, object[name]]),
  )
