import { columnOf, defineField, type Field, readOnly } from './field.ts'

/** The absolute URL of the object itself. */
export function hyperlinkedIdentity(): Field<string> {
  return readOnly(
    defineField<string>(
      {},
      {
        type: 'url',
        parse: input => String(input),
        storage: { kind: 'none' },
        show: place => place.link(place.resource, columnOf(place, place.key)),
      },
    ),
  )
}
