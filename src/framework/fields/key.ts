import { defineField, type Field, readOnly } from './field.ts'
import { integer } from './integer.ts'

/** The primary key, given by the database; shown, never written. */
export function key({ column = 'id' }: { readonly column?: string } = {}): Field<number> {
  return readOnly(
    defineField(
      { column },
      {
        type: 'integer',
        parse: parseComparedKey,
        storage: { kind: 'none' },
        keyColumn: column,
        uses: [{ option: 'column', column }],
      },
    ),
  )
}

const { parse: parseComparedKey } = integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

/** A key as it stands in a path: canonical decimal digits within the range that a number holds exactly. */
export function parseKey(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
