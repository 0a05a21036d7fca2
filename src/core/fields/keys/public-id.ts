import { randomInt } from 'node:crypto'
import { invalid } from '../../errors/invalid.ts'
import type { Identifier, Key, KeyOptions, KeyTypes } from '../../keys/key.ts'
import { integerKey } from './integer-key.ts'

export interface PublicIdOptions extends KeyOptions {
  /** The unique text column with the public text of the key; default: `public_id`. */
  readonly publicColumn?: string
}

/**
 * An integer that the database generates, which stays inside: foreign keys and hooks have it. Paths, bodies and responses
 * contain the text of a second column instead, such as `ord_7Kq0Yx2mB9LtZs4A`: the prefix and 16 random letters and digits
 * (95 bits), which the service makes when an object is created. No text says anything about another one.
 *
 * @example
 * const orders = resource('orders', { table: 'orders', key: publicId('ord'), fields: { id: key(), note: text() } })
 */
export function publicId(
  prefix: string,
  { publicColumn = 'public_id', ...options }: PublicIdOptions = {},
): Key<KeyTypes<number, string, never>> {
  if (!/^[a-z][a-z0-9]*$/.test(prefix))
    throw new Error(`publicId(): the prefix "${prefix}" must be lower-case letters and digits`)
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{${length}}$`)
  const publicIdentifier: Identifier = {
    column: publicColumn,
    type: 'string',
    isUrlSafe: true,
    schema: { type: 'string', pattern: pattern.source },
    parse: text => (pattern.test(text) ? text : undefined),
    read(input) {
      if (typeof input === 'string' && pattern.test(input)) return input
      throw invalid('invalid.public_id', { example: `${prefix}_${'0'.repeat(length)}` })
    },
  }
  const inside: Omit<Key, '~types'> = integerKey(options)
  return Object.freeze({
    ...inside,
    publicIdentifier,
    create: () => ({ [publicColumn]: `${prefix}_${createRandomText()}` }),
  })
}

const length = 16
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const createRandomText = (): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
