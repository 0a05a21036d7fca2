// The items of a PATCH, PUT or DELETE, each of which names its object.

import { type APIException, ValidationError } from '../../../errors/exceptions.ts'
import { formatTypeName, invalid } from '../../../errors/invalid.ts'
import { findPathIdentifier } from '../../../fields/identifier.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { Resource } from '../../declare/resource.ts'
import { findNamingField } from '../../define/check-bulk.ts'

export interface NamedItem {
  readonly data: unknown
  /** The field that names the object, on the wire. */
  readonly field: string
  /** The value in the path of the object; undefined if the item has an error. */
  readonly name: KeyValue | undefined
  readonly error?: APIException
}

/** Reads the names, each of which may occur once. `acceptsKeys`: an item may be the key itself instead of an object with it. */
export function readNamedItems(
  resource: Resource,
  items: readonly unknown[],
  { acceptsKeys }: { readonly acceptsKeys: boolean },
): readonly NamedItem[] {
  const declared = findNamingField(resource)!
  const field = nameOnWire(declared, resource.fields[declared]!)
  const identifier = findPathIdentifier(resource)
  const seen = new Set<KeyValue>()
  return items.map(data => {
    try {
      const name = readName(data)
      if (seen.has(name)) throw new ValidationError({ [field]: invalid('repeated').errors })
      seen.add(name)
      return { data, field, name }
    } catch (error) {
      if (error instanceof ValidationError) return { data, field, name: undefined, error }
      throw error
    }
  })

  function readName(data: unknown): KeyValue {
    const isKey = acceptsKeys && ['string', 'number', 'bigint'].includes(typeof data)
    if (isKey) return identifier.read(data)
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      throw invalid('invalid.object', { type: formatTypeName(data) })
    try {
      if (!Object.hasOwn(data, field)) throw invalid('required')
      return identifier.read((data as Readonly<Record<string, unknown>>)[field])
    } catch (error) {
      throw error instanceof ValidationError ? new ValidationError({ [field]: error.errors }) : error
    }
  }
}
