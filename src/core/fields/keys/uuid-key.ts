import { randomBytes } from 'node:crypto'
import type { Key, KeyOptions, KeyTypes } from '../../keys/key.ts'
import type { KnownOptions } from '../field-types.ts'
import { parseUuid, toHex } from '../kinds/uuid.ts'

export interface UuidKeyOptions extends KeyOptions {
  /**
   * Who makes the key of a new object. `service` (default): this process makes a UUID of version 7 (RFC 9562 §5.7), whose
   * order is the order of creation to the millisecond. `database`: the column has a default.
   */
  readonly generated?: 'service' | 'database'
  /** True: the body that creates an object may contain its key, as an offline client does. Default: a key in a body is ignored. */
  readonly given?: boolean
  /** `hex`: a text of 32 digits without hyphens, as Django has on SQLite. Responses contain it too; URLs may have hyphens. Default: with hyphens. */
  readonly stored?: 'hex'
}

/**
 * A UUID, in a `uuid` column of PostgreSQL or a text column. Paths contain it in lower case with hyphens; bodies may
 * contain any spelling of RFC 9562.
 *
 * @example
 * const customers = resource('customers', { table: 'customers', key: uuidKey(), fields: { id: key(), name: text() } })
 */
export function uuidKey<const Options extends UuidKeyOptions = UuidKeyOptions>(
  options: KnownOptions<Options, UuidKeyOptions> = {} as KnownOptions<Options, UuidKeyOptions>,
): Key<KeyTypes<string, string, Options extends { readonly given: true } ? string | undefined : never>> {
  const { column = 'id', generated = 'service', given = false, stored }: UuidKeyOptions = options
  if (given && generated === 'database')
    throw new Error('uuidKey(): given: true needs a key that the service makes: remove "generated"')
  const isHex = stored === 'hex'
  const format = isHex ? toHex : (text: string) => text
  return Object.freeze<Key<never>>({
    column,
    ...(isHex ? { type: 'string', schema: { type: 'string', pattern: hex.source } } : { type: 'uuid' }),
    isUrlSafe: true,
    source: generated,
    ...(given && { mayBeGiven: true }),
    parse: text => (canonicalUuid.test(text) || (isHex && hex.test(text)) ? format(text) : undefined),
    read: input => format(parseUuid(input)),
    ...(generated === 'service' && { create: () => ({ [column]: format(createUuid(Date.now())) }) }),
  })
}

const hex = /^[\da-f]{32}$/
const canonicalUuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** Creates a UUID of version 7; `time` is in milliseconds since 1970. */
export function createUuid(time: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(time, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
