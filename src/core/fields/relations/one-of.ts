// One related object of several resources: a column of the row says of which.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { castTo } from '../../database/expressions.ts'
import { orNull } from '../../describe/json-schema.ts'
import type { RequestContext } from '../../http/context.ts'
import { columnReference } from '../column-reference.ts'
import { completeField, createCompletable } from '../complete-field.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { Field, FieldDefinition, FieldLocation, SchemaBuilder } from '../field.ts'
import type { Computed, ConditionalOf, FieldLink, FieldTrait, FieldTypes } from '../field-types.ts'
import { inheritUses } from '../inner-fields.ts'
import { computed } from '../kinds/computed.ts'
import { objectKind } from '../kinds/json.ts'
import { text } from '../kinds/text.ts'
import { noColumns } from '../storage.ts'
import { createUnresolved } from './named-target.ts'
import { showObjects } from './nested.ts'

/** Options of an object of one of several resources. */
export interface OneOfOptions<Name extends string = string> extends Pick<FieldOptions<object>, 'visible'> {
  /** The member of each object with the value of the column; default: `type`. */
  readonly discriminator?: Name
}

/** The objects by the value of the column. */
type Variants = Readonly<Record<string, AnyNested>>

type AnyNested = Field<object, unknown, never, FieldTrait, FieldLink>

type ShownBy<V, Name extends string> =
  | {
      [Value in keyof V & string]: { readonly [Each in Name]: Value } & Exclude<ShownOf<V[Value]>, null>
    }[keyof V & string]
  | null

// The compiler does not look up the resource that a variant names.
type ShownOf<F> = F extends { readonly '~types'?: infer Types extends FieldTypes }
  ? Types['link']['kind'] extends 'named'
    ? Readonly<Record<string, unknown>>
    : Types['shown']
  : never

/**
 * A related object of one of several resources. `column` is the column of the row whose value chooses the resource; `variants` are the
 * objects by its values, each a read-only `nested` with a `column`, of a resource or its name. Null for another value, and without an object that the caller sees.
 *
 * @example
 * const owner = oneOf('owner_type', {
 *   user: nested({ of: users, column: 'owner_id', fields: ['id', 'name'] }),
 *   team: nested({ of: teams, column: 'owner_id' }),
 * })
 */
export function oneOf<
  const V extends Variants,
  const Name extends string = 'type',
  const Options extends OneOfOptions<Name> = OneOfOptions<Name>,
>(
  column: string,
  variants: V,
  options: Options & OneOfOptions<Name> = {} as never,
): Field<object, ShownBy<V, Name>, never, ConditionalOf<Options>, Computed> {
  return create(column, variants, options) as never
}

function create(column: string, variants: Variants, options: OneOfOptions): FieldDefinition<object> {
  checkVariants(column, variants)
  const named = Object.values(variants).find(({ join }) => join === undefined)
  const field = named === undefined ? createField(column, variants, options) : createNamed(named, options)
  return createCompletable(field, {
    forTargets: find =>
      create(
        column,
        mapVariants(variants, field => completeField(field, 'forTargets', find)),
        options,
      ),
  })
}

const createNamed = ({ targetName }: AnyNested, { visible }: OneOfOptions): FieldDefinition<object> =>
  createUnresolved<object>(targetName!, visible ? { visible } : {}, {
    kind: objectKind,
    required: false,
    readOnly: true,
    columns: noColumns,
  })

function checkVariants(column: string, variants: Variants): void {
  const refuse = (problem: string): never => {
    throw new Error(`oneOf(): ${problem}`)
  }
  if (typeof column !== 'string' || column === '') refuse('name the column whose value chooses the object')
  if (typeof variants !== 'object' || Object.keys(variants ?? {}).length === 0)
    refuse('give the objects by the value of the column, such as { user: nested({ of: users, column: "owner_id" }) }')
  for (const [value, { join, readOnly, kind, shownFields, targetName, completion }] of Object.entries(variants)) {
    const isNamed = targetName !== undefined && completion?.forRelation === undefined
    const isGiven = join !== undefined && 'column' in join.through && shownFields !== undefined
    if (!(isNamed || isGiven) || !readOnly || kind !== objectKind)
      refuse(`"${value}" must be a nested() with a "column", without "writable"`)
  }
}

const mapVariants = (variants: Variants, map: (field: Field<object>, value: string) => FieldDefinition<object>) =>
  Object.fromEntries(Object.entries(variants).map(([value, field]) => [value, map(field as never, value)])) as Variants

function createField(column: string, variants: Variants, options: OneOfOptions): FieldDefinition<object> {
  const { discriminator = 'type', visible } = options
  const named = mapVariants(variants, (field, value) => addDiscriminator(field as Field, value, discriminator))
  const fields = Object.values(named)
  return defineField<object>(visible ? { visible } : {}, {
    kind: objectKind,
    required: false,
    readOnly: true,
    columns: noColumns,
    columnUses: [{ option: 'column', column }, ...fields.flatMap(({ columnUses = [] }) => columnUses)],
    parse: input => input as object,
    show: location => showCase(location, column, named),
    describeShown: builder => orNull(describeVariants(named, discriminator, builder)),
    ...inheritUses(named as never),
    ...computeVariants(named, discriminator),
  })
}

function addDiscriminator(field: Field, value: string, discriminator: string): FieldDefinition<object> {
  if (Object.hasOwn(field.shownFields!, discriminator))
    throw new Error(
      `oneOf(): "${value}" has a field "${discriminator}": name its "fields", or give the option "discriminator" another name`,
    )
  const constant = {
    ...computed(text(), () => castTo(sql.lit(value), 'text')),
    describeShown: () => ({ type: 'string', const: value }),
  }
  const shown = showObjects(field, field.join!, { [discriminator]: constant, ...field.shownFields })
  return shown as FieldDefinition<object>
}

function showCase(location: FieldLocation, column: string, variants: Variants): Sql {
  const value = castTo(columnReference(location, column), 'text')
  const cases = Object.entries(variants).map(
    ([name, field]) => sql`when ${value} = ${sql.lit(name)} then ${field.show(location)}`,
  )
  return location.dialect.json(sql`case ${sql.join(cases, sql` `)} end`)
}

// A tool reads the discriminator only of components.
function describeVariants(variants: Variants, discriminator: string, builder: SchemaBuilder) {
  const entries = Object.entries(variants).map(([value, { join, shownFields }]) => {
    const names = Object.keys(shownFields!).filter(name => name !== discriminator)
    const isWhole = names.length === Object.values(join!.target.fields).filter(({ writeOnly }) => !writeOnly).length
    const name = [join!.target.name, 'as', discriminator, value, ...(isWhole ? [] : ['with', ...names])].join(' ')
    return [value, builder.refer(name, () => builder.shownObject(shownFields!))] as const
  })
  return {
    oneOf: entries.map(([, schema]) => schema),
    discriminator: {
      propertyName: discriminator,
      mapping: Object.fromEntries(entries.map(([value, { $ref }]) => [value, $ref])),
    },
  }
}

type Shown = Record<string, unknown> | null

function computeVariants(variants: Variants, discriminator: string): Pick<Field, 'compute' | 'computeAll'> {
  const fields = Object.entries(variants)
  const isOf = (shown: unknown, value: string) => (shown as Shown)?.[discriminator] === value
  const hasSome = (name: 'compute' | 'computeAll') => fields.some(([, field]) => field[name] !== undefined)
  return {
    ...(hasSome('compute') && {
      compute(shown: unknown, context: RequestContext) {
        for (const [value, field] of fields) if (isOf(shown, value)) field.compute?.(shown, context)
        return shown
      },
    }),
    ...(hasSome('computeAll') && {
      async computeAll(shown: readonly unknown[], context: RequestContext) {
        for (const [value, field] of fields)
          await field.computeAll?.(
            shown.filter(each => isOf(each, value)),
            context,
          )
        return shown
      },
    }),
  }
}
