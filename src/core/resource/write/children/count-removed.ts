// Counts the children that a body removes, with the rows that their removal deletes or changes.

import type { KeyValue } from '../../../keys/key.ts'
import { countAffected } from '../../sql/count-deletion.ts'
import { findForeignKeys } from '../../sql/foreign-keys.ts'
import type { ChildrenToRead } from '../../validate/children.ts'
import type { ChildForm } from './child-form.ts'

/** Rejects with TooManyRows beyond the limit of the request. */
export async function countRemoved(
  { bound: { database, resource } }: ChildForm,
  { rows, connection }: Pick<ChildrenToRead, 'rows' | 'connection'>,
  removed: readonly { readonly key: KeyValue }[],
): Promise<void> {
  rows.add(removed.length)
  const max = rows.left()
  if (removed.length === 0 || max === Number.POSITIVE_INFINITY) return
  const references = await findForeignKeys(database)
  if (resource.parentRows === undefined && !references.some(({ target }) => target === resource.table)) return
  const { kysely } = connection
  const keys = removed.map(({ key }) => key)
  rows.add(await countAffected({ dialect: database.dialect, kysely }, resource, keys, { references, max }))
}
