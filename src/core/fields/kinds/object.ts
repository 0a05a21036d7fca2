import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { checkIsField } from '../check-is-field.ts'
import { columnReference } from '../column-reference.ts'
import type { FieldRecords } from '../declared-fields.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import {
  type Field,
  type FieldDefinition,
  type FieldLocation,
  type Fields,
  hasInitial,
  type ValuesOf,
} from '../field.ts'
import type { FieldLink, KnownOptions, NullOf, ShownFields, TakenFields, TraitOf } from '../field-types.ts'
import { readNested } from '../read-fields.ts'
import { checkJsonPart, objectKind } from './json.ts'

export interface ObjectOptions<F extends Fields> extends FieldOptions<ValuesOf<F>> {
  readonly fields: F
  /**
   * True: each of the fields is stored in a column of its own, which its option `column` names. The object is null if all of these
   * columns are. Default: one `json` column stores the object.
   */
  readonly columns?: true
}

type ObjectOf<F extends Fields, Options> = Options extends { readonly columns: true }
  ? Field<
      ValuesOf<F> | NullOf<Options>,
      ShownFields<FieldRecords<F>> | NullOf<Options>,
      TakenFields<FieldRecords<F>> | NullOf<Options>,
      TraitOf<Options>,
      FieldLink<'parts', FieldRecords<F>, null, null, null>
    >
  : FieldOf<ValuesOf<F>, Options, ShownFields<FieldRecords<F>>, TakenFields<FieldRecords<F>>>

/**
 * An object with fields, stored in one `json` column or in a column for each field. Its errors are an object, keyed by the names of
 * its fields.
 *
 * @example
 * const price = object({
 *   fields: { amount: decimal({ maxDigits: 9, decimalPlaces: 2, column: 'price' }), currency: choice(['EUR', 'USD']) },
 *   columns: true,
 * })
 */
export function object<F extends Fields, const Options extends ObjectOptions<F>>(
  options: KnownOptions<Options, ObjectOptions<F>> & { readonly fields: F },
): ObjectOf<F, Options> {
  const { fields, columns } = options
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
    ...(columns && createParts(fields, options)),
  }) as FieldDefinition as ObjectOf<F, Options>
}

function createParts(
  fields: Fields,
  { column, source, nullable = false }: Pick<FieldOptions<unknown>, 'column' | 'source' | 'nullable'>,
): Pick<Field, 'columns' | 'parts' | 'show'> {
  if (column !== undefined || source !== undefined)
    throw new Error('object(): the columns are those of its fields: remove "column" and "source", or "columns"')
  const entries = Object.entries(fields)
  const optional = entries.find(([, field]) => !field.required && !hasInitial(field))
  if (optional !== undefined)
    throw new Error(`object(): field "${optional[0]}" is optional: give it a default, or set nullable: true`)
  const parts = entries.map(([name, field]) => [name, nullable ? { ...field, nullable } : field] as const)
  return {
    columns: () => parts.flatMap(([name, part]) => part.columns(name)),
    parts: Object.fromEntries(parts),
    show: location => showParts(location, fields, nullable),
  }
}

function showParts(location: FieldLocation, fields: Fields, nullable: boolean): Sql {
  const { dialect } = location
  const entries = Object.entries(fields)
  const shown = dialect.object(entries.map(([name, field]) => [name, field.show({ ...location, name })]))
  if (!nullable) return shown
  const columns = entries.flatMap(([name, field]) => field.columns(name))
  const isStored = sql.join(
    columns.map(column => sql`${columnReference(location, column)} is not null`),
    sql` or `,
  )
  return dialect.json(sql`case when ${isStored} then ${shown} end`)
}
