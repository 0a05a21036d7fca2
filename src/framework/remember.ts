import { createBoundedMap } from './bounded-map.ts'

export interface RememberOptions {
  /** The most texts; those that were not asked for last are forgotten. */
  readonly entries: number
  /** Longer texts are not remembered, in UTF-16 units; default: any length is. */
  readonly longest?: number
}

/** The same function, asked once for each of the texts that come again and again. What it throws is not remembered. */
export function remember<Value>(
  make: (text: string) => Value,
  { entries, longest = Number.POSITIVE_INFINITY }: RememberOptions,
): (text: string) => Value {
  const known = createBoundedMap<string, Value>({ most: entries })
  // Most often it is the one before once more: to compare the two is less than to hash a text that has just arrived.
  let lastText: string | undefined
  let lastValue: Value
  return text => {
    if (text === lastText) return lastValue
    const before = known.get(text)
    if (before !== undefined) {
      lastText = text
      lastValue = before
      return before
    }
    const value = make(text)
    if (text.length > longest) return value
    known.set(text, value)
    return value
  }
}
