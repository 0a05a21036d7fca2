import type { Key, KeyOptions, KeyTypes } from '../../keys/key.ts'
import { emptyContext } from '../field.ts'
import { integer } from '../kinds/integer.ts'

/** An integer that the database generates, up to 2^53 - 1; the default key of a resource. */
export function integerKey({ column = 'id' }: KeyOptions = {}): Key<KeyTypes<number, number, never>> {
  return Object.freeze<Key<KeyTypes<number, number, never>>>({
    column,
    type: 'integer',
    isUrlSafe: true,
    source: 'database',
    parse: parseIntegerKey,
    read: input => readInteger(input),
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  })
}

const anyInteger = integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

// A filter may contain any integer, although no key equals it.
const readInteger = (input: unknown): number => anyInteger.parse(input, emptyContext) as number

/** Parses canonical decimal digits up to 2^53 - 1; undefined for any other text. */
function parseIntegerKey(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
