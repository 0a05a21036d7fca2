import { defineField, type Field, readOnly } from './field.ts'
import type { OwnKey } from './field-types.ts'
import { integer } from './integer.ts'

/** The primary key, which the database generates; read-only. */
export function key({ column = 'id' }: { readonly column?: string } = {}): Field<number, OwnKey, never, never> {
  return readOnly<number, OwnKey>(
    defineField<number>(
      { column },
      {
        type: 'integer',
        parse: parseFilterKey,
        storage: { kind: 'none' },
        keyColumn: column,
        columnUses: [{ option: 'column', column }],
      },
    ),
  )
}

const { parse: parseFilterKey } = integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

/** Parses a key in a path: canonical decimal digits up to 2^53 - 1; undefined for any other text. */
export function parseKey(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
