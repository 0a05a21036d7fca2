// Fields that only data files have: the primary key of a row, and lists.

import { integer, list } from 'resource-api'
import type { FieldDefinition } from 'resource-api/extend'

/** The primary key of a row in the file. */
export const keyField = integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

/** A list of any length, by default empty. */
export const itemsOf = <Item>(of: FieldDefinition<Item>): FieldDefinition<readonly Item[]> =>
  list({ of, max: Number.MAX_SAFE_INTEGER, default: [] })
