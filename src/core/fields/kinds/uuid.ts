import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { concat } from '../../database/expressions.ts'
import { invalid } from '../../errors/invalid.ts'
import type { MessageText } from '../../messages/english.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { equalityLookups, type FieldKind } from './kind.ts'

export interface UuidOptions extends FieldOptions<string> {
  /** Makes the value unique among all objects; the text is the error message for a duplicate. */
  readonly unique?: MessageText
  /** `hex`: the column is a text of 32 digits without hyphens, as Django has on SQLite. Default: as the output. */
  readonly stored?: 'hex'
}

const digits = '([\\da-f]{8})-?([\\da-f]{4})-?([\\da-f]{4})-?([\\da-f]{4})-?([\\da-f]{12})'
const format = new RegExp(`^(?:(?:urn:uuid:)?${digits}|\\{${digits}\\})$`, 'i')

export const uuidKind = Object.freeze<FieldKind>({
  name: 'uuid',
  schema: { type: 'string', format: 'uuid' },
  columns: ['uuid', 'text'],
  lookups: equalityLookups,
  identifier: { type: 'uuid', isUrlSafe: true },
  example: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f60',
})

const hexKind = Object.freeze<FieldKind>({
  ...uuidKind,
  columns: ['text'],
  isStoredAsText: true,
  conversion: {
    store: value => toHex(value as string),
    showValue(value) {
      const part = (start: number, length: number) => sql`substr(${value}, ${sql.lit(start)}, ${sql.lit(length)})`
      const others = [
        [9, 4],
        [13, 4],
        [17, 4],
        [21, 12],
      ].flatMap(([start, length]): Sql[] => [sql.lit('-'), part(start!, length!)])
      return concat(part(1, 8), ...others)
    },
  },
})

/** The digits of a UUID with hyphens. */
export const toHex = (uuid: string): string => uuid.replaceAll('-', '')

/** A UUID (RFC 9562), with or without hyphens, braces or `urn:uuid:`. The output has hyphens and lower case. */
export function uuid<const Options extends UuidOptions = UuidOptions>(
  options: KnownOptions<Options, UuidOptions> = {} as never,
): FieldOf<string, Options> {
  const { unique, stored } = options
  return defineField<string>(options, {
    kind: stored === 'hex' ? hexKind : uuidKind,
    parse: parseUuid,
    ...(unique !== undefined && { unique }),
  })
}

/** Parses a UUID in any spelling of RFC 9562; throws ValidationError. */
export function parseUuid(input: unknown): string {
  const match = typeof input === 'string' ? format.exec(input.trim()) : null
  if (match === null) throw invalid('invalid.uuid')
  return match.slice(1).filter(Boolean).join('-').toLowerCase()
}
