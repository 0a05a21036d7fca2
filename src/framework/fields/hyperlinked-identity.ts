import { columnReference, defineField, type Field, readOnly } from './field.ts'

/** The absolute URL of the object. */
export function hyperlinkedIdentity(): Field<string, string, never> {
  return readOnly(
    defineField<string>(
      {},
      {
        type: 'url',
        parse: input => String(input),
        storage: { kind: 'none' },
        show: location => location.createUrl(location.resource, columnReference(location, location.key)),
      },
    ),
  )
}
