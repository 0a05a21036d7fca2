import type { JsonSchema } from '../../describe/json-schema.ts'
import { invalid } from '../../errors/invalid.ts'
import type { MessageText } from '../../messages/english.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'

export interface UuidOptions extends FieldOptions<string> {
  /** Makes the value unique among all objects; the text is the error message for a duplicate. */
  readonly unique?: MessageText
}

const digits = '([\\da-f]{8})-?([\\da-f]{4})-?([\\da-f]{4})-?([\\da-f]{4})-?([\\da-f]{12})'
const format = new RegExp(`^(?:(?:urn:uuid:)?${digits}|\\{${digits}\\})$`, 'i')

/** A UUID (RFC 9562), with or without hyphens, braces or `urn:uuid:`. The output has hyphens and lower case. */
export function uuid<const Options extends UuidOptions = UuidOptions>(
  options: KnownOptions<Options, UuidOptions> = {} as never,
): FieldOf<string, Options> {
  const { unique } = options
  return defineField<string>(options, {
    type: 'uuid',
    parse: parseUuid,
    describeTaken: () => uuidSchema,
    ...(unique !== undefined && { unique }),
  })
}

/** The JSON Schema of a UUID. */
const uuidSchema: JsonSchema = Object.freeze({ type: 'string', format: 'uuid' })

/** Parses a UUID in any spelling of RFC 9562; throws ValidationError. */
export function parseUuid(input: unknown): string {
  const match = typeof input === 'string' ? format.exec(input.trim()) : null
  if (match === null) throw invalid('invalid.uuid')
  return match.slice(1).filter(Boolean).join('-').toLowerCase()
}
