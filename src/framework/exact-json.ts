// JSON whose numbers keep their digits. A number of JavaScript holds integers exactly only up to 2^53 - 1.

// TypeScript does not know it yet (ECMAScript 2026).
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }

// Only numbers with a fraction, an exponent or very many digits are written differently than they were read.
const mayChange = /(?:"\s*:|[[,])\s*(?:-0|-?\d+[.eE]|-?\d{16})/

// Long texts without such digits are common, and looking for their places takes longer.
const hasDigits = /-0|\d[.eE]|\d{16}/

/** May a number of this JSON be written differently than it was read? */
const hasExactNumbers = (text: string): boolean => /^[-\d]/.test(text) || (hasDigits.test(text) && mayChange.test(text))

/** JSON as data for reading, and as data that is written again as it was; the same object if both are equal. */
export function parseBoth(text: string): { readonly data: unknown; readonly exact: unknown } {
  const data = parseIntegers(text)
  return { data, exact: hasExactNumbers(text) ? parseNumbersExactly(text) : data }
}

/** JSON as data that is written again as it was: numbers keep their digits, whatever their size. */
export function parseExactly(text: string): unknown {
  return hasExactNumbers(text) ? parseNumbersExactly(text) : JSON.parse(text)
}

function parseNumbersExactly(text: string): unknown {
  return JSON.parse(text, (_, value, context?: { source?: string }) =>
    typeof value === 'number' ? rawJson(context!.source!) : value,
  )
}

// Only an integer of sixteen digits or more can be beyond 2^53 - 1.
const mayBeLarge = /\d{16}/

/**
 * JSON as data in which an integer beyond ±(2^53 - 1) is a `bigint`; throws SyntaxError. Any other number is a double.
 *
 * @example
 * parseIntegers('[1, 12345678901234567890]') // [1, 12345678901234567890n]
 */
export function parseIntegers(text: string): unknown {
  if (!mayBeLarge.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isFinite(value)) return value
    const source = context!.source!
    return /^-?\d+$/.test(source) ? BigInt(source) : value
  })
}

/** Data as JSON, with `indent` spaces; a `bigint` is written as its digits. */
export function formatJson(data: unknown, indent = 0): string {
  try {
    return JSON.stringify(data, null, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // A bigint is somewhere in the data, or the data refer to themselves: then this throws as well.
    return JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? rawJson(String(value)) : value), indent)
  }
}
