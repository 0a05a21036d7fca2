import { checkIsField } from '../check-is-field.ts'
import type { FieldRecords } from '../declared-fields.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { Fields, ValuesOf } from '../field.ts'
import type { KnownOptions, ShownFields, TakenFields } from '../field-types.ts'
import { readNested } from '../read-fields.ts'
import { checkJsonPart, objectKind } from './json.ts'

export interface ObjectOptions<F extends Fields> extends FieldOptions<ValuesOf<F>> {
  readonly fields: F
}

/** An object with fields, stored in one `json` column. Its errors are an object, keyed by the names of its fields. */
export function object<F extends Fields, Options extends ObjectOptions<F>>(
  options: KnownOptions<Options, ObjectOptions<F>> & { readonly fields: F },
): FieldOf<ValuesOf<F>, Options, ShownFields<FieldRecords<F>>, TakenFields<FieldRecords<F>>> {
  const { fields } = options
  for (const [name, field] of Object.entries(fields)) {
    checkIsField(field, `object(): field "${name}"`)
    checkJsonPart(field, `object(): field "${name}"`)
  }
  return defineField<ValuesOf<F>>(options, {
    kind: objectKind,
    children: fields,
    parse: async (input, context) => (await readNested(fields, input, context)) as ValuesOf<F>,
    describeTaken: builder => builder.takenObject(fields, 'POST'),
    describeShown: builder => builder.storedObject(fields),
  })
}
