// The `normalize` option of a resource converts the values of a whole request body.

import type { Values } from '../../fields/declared-fields.ts'
import type { Fields } from '../../fields/field.ts'
import { type Check, type ReadOptions, readFields } from '../../fields/read-fields.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { Resource } from '../declare/resource.ts'

/** How the values that `normalize` sets are checked. */
export interface NormalizedChecks {
  /** The fields that the body can set; values of others are dropped. */
  readonly fields: Fields
  readonly options: ReadOptions
  readonly check: Check | undefined
}

/**
 * The values that the resource's `normalize` returns for those of a body. A value that it set is checked like one of the
 * body: rejects with ValidationError. Throws for a name that is not a writable field.
 */
export async function normalizeBody(
  { name, fields: declared, normalize }: Pick<Resource, 'name' | 'fields' | 'normalize'>,
  values: Values,
  { fields, options, check }: NormalizedChecks,
): Promise<Values> {
  if (normalize === undefined) return values
  const normalized: unknown = normalize(values)
  if (typeof normalized !== 'object' || normalized === null || normalized instanceof Promise)
    throw new Error(`resource "${name}": normalize must return the normalized values, as an object`)
  const entries = Object.entries(normalized)
  const wrong = entries.find(([field]) => !Object.hasOwn(declared, field) || declared[field]!.readOnly)
  if (wrong !== undefined)
    throw new Error(`resource "${name}": normalize returned "${wrong[0]}", which is not a writable field: remove it`)
  const [kept, changed] = partition(
    entries.filter(([field]) => Object.hasOwn(fields, field)),
    ([field, value]) => Object.hasOwn(values, field) && values[field] === value,
  )
  const changedFields = Object.fromEntries(changed.map(([field]) => [field, takeKeys(fields[field]!)]))
  const body = {
    kind: 'data',
    data: Object.fromEntries(changed.map(([field, value]) => [nameOnWire(field, fields[field]!), value])),
  } as const
  return {
    ...Object.fromEntries(kept),
    ...(await readFields(changedFields, body, { ...options, partial: true }, check)),
  }
}

// The parsed value of a relation is a key, but its `parse` may expect another form, such as a URL.
const takeKeys = (field: Fields[string]): Fields[string] =>
  field.relation === undefined ? field : { ...field, parse: key => key }

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(belongs), items.filter(item => !belongs(item))]
}
