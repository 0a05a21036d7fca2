// Normalizers convert a parsed value to the form in which it is stored, such as lower case.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'

/** Returns the normalized value, of the same type; throws ValidationError for a value that it rejects. */
export type Normalizer<Value> = (value: Value) => Value

const maxSourceLength = 80

/** Normalizes a value. Throws a TypeError if the normalizer returns a value of another type, or none. */
export function normalizeValue<Value>(normalize: Normalizer<Value>, value: Value): Value {
  const normalized = normalize(value)
  const [expected, returned] = [nameType(value), nameType(normalized)]
  if (expected === returned) return normalized
  const source = String(normalize).replace(/\s+/g, ' ').slice(0, maxSourceLength)
  throw new TypeError(`normalize: ${source} returned ${returned}: return the normalized value, ${expected}`)
}

type Parse<Value, Context> = (input: unknown, context: Context) => MaybePromise<Value>

/** Adds a normalizer to the `parse` of a field, which then also checks the normalized value. */
export function parseNormalized<Value, Context>(
  { parse, relation }: { readonly parse: Parse<Value, Context>; readonly relation?: unknown },
  normalize: Normalizer<Value>,
): Parse<Value, Context> {
  // The values of a relation are keys, but `parse` may expect another form, such as a URL.
  const check = (value: Value, context: Context) => (relation === undefined ? parse(value, context) : value)
  return (input, context) => {
    const parsing = parse(input, context)
    return isPromise(parsing)
      ? parsing.then(value => check(normalizeValue(normalize, value), context))
      : check(normalizeValue(normalize, parsing), context)
  }
}

/** The type of a value with its article, for the messages of mistakes: `a number`. */
export function nameType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (isPromise(value)) return 'a promise'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
