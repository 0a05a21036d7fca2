import { columnReference } from '../column-reference.ts'
import { defineField, readOnly } from '../define-field.ts'
import type { Field } from '../field.ts'
import type { Computed } from '../field-types.ts'
import { createPathSegment, findPathIdentifier } from '../identifier.ts'
import { noColumns } from '../storage.ts'
import { urlKind } from './url.ts'

/** The absolute URL of the object. */
export function hyperlinkedIdentity(): Field<string, string, never, never, Computed> {
  return readOnly(
    defineField<string>(
      {},
      {
        kind: urlKind,
        parse: input => String(input),
        columns: noColumns,
        show(location) {
          const identifier = findPathIdentifier(location)
          const refer = (column: string) => columnReference(location, column)
          const segment = createPathSegment(location.dialect, identifier, refer)
          return location.createUrl(location.resource, segment, location.table)
        },
      },
    ),
  )
}
