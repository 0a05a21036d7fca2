// Creates fields from the options that an application writes and the properties of each kind of field.

import type { FieldMessages } from '../errors/field-messages.ts'
import type { Caller } from '../http/identity.ts'
import type { MessageText } from '../messages/english.ts'
import { checkIsField } from './check-is-field.ts'
import { columnReference } from './column-reference.ts'
import type { DefaultFunction, Field, FieldDefinition, FieldLocation, ForeignColumn, ParseContext } from './field.ts'
import type { Computed, ConditionalOf, FieldLink, FieldTrait, NullOf, TraitOf, Unlinked } from './field-types.ts'
import { type Normalizer, parseNormalized } from './normalizer.ts'
import { showFromSource } from './relations/source.ts'

/** Options of every field that can be written. */
export interface FieldOptions<Value> {
  /** True: the body of a create or replace must contain the field. Default: true, unless nullable or with a default. */
  readonly required?: boolean
  /**
   * The value of a new object if the body does not contain the field, or a function of the caller and the time of the request:
   * `({ user, now }) => user.username`. Its result is read as a value of a body is; one that the field rejects is a 500. For a
   * relation, the value is a key.
   */
  readonly default?: Value | DefaultFunction
  /** True: the value may be null. Default: false. */
  readonly nullable?: boolean
  /** The column that stores the value; default: the field's name. */
  readonly column?: string
  /**
   * True: the body that creates the object gives the value, and a later one may only repeat it. Responses show it. Default:
   * false.
   */
  readonly fixed?: boolean
  /**
   * Shows a value of a related row: the path to a field of another resource through relations of this one, such as
   * `customer.country.name`, or `via(…)`. The field is then read-only, and null if there is no such row.
   */
  readonly source?: string | ForeignColumn
  /** The name on pages and in OPTIONS; default: `In print` for `in_print`. A message of a catalogue is translated. */
  readonly label?: MessageText
  /** A text below the control in forms; a message of a catalogue is translated. */
  readonly help?: MessageText
  /**
   * Replaces messages of the field's errors, by code or by a finer key: `{ required: 'Give a title.' }`. The texts may
   * contain the placeholders of the original, such as `{max}`. They are the same in every language, unless they are
   * messages of a catalogue.
   */
  readonly messages?: FieldMessages
  /**
   * Whether a caller sees the field. For the others, it is as if it were not declared: in responses, bodies, queries,
   * OPTIONS and pages. Called for each request, and synchronous. A condition on the row of a declared table decides for each object: a
   * body cannot change what the object hides. Default: every caller sees it.
   *
   * @example
   * const margin = decimal({ maxDigits: 9, decimalPlaces: 2, default: '0', visible: ({ user }) => user.isStaff })
   * const salary = readOnly(integer({ visible: { 'team.leads': { lead: caller('id') } } }))
   */
  readonly visible?: CallerCondition | RowPredicate
  /** What an object shows whose condition in `visible` hides the field: nothing, or null. Default: `absent`. */
  readonly hiddenAs?: 'absent' | 'null'
  /**
   * A condition on the row of a declared table: a body changes the field only of objects that meet it. In others, the value of the body
   * is ignored, as that of a read-only field. A new object takes it. Default: all objects.
   *
   * @example
   * const salary = integer({ editable: { 'team.lead': caller('username') } })
   */
  readonly editable?: RowPredicate
  /**
   * The value by which lists are ordered instead of the field's own: a computed field in SQL.
   *
   * @example
   * const version = text({ orderedBy: computed(text(), ({ row }) => sql`${row.version_key}`) })
   */
  readonly orderedBy?: Field
  /**
   * Converts a parsed value to the form in which it is stored, such as a sorted list, before the validators run. Filters
   * by the field are converted too; a default is not.
   */
  readonly normalize?: Normalizer<Value>
  /** Further checks of a parsed value. */
  readonly validators?: readonly FieldValidator<Value>[]
}

/** Checks a value; throws or rejects with ValidationError. */
export type FieldValidator<Value> = (value: Value, context: ParseContext) => void | Promise<void>

/** The field that a function with these options creates. `Shown` and `Taken` are the types of a value that is not null. */
export type FieldOf<Value, Options, Shown = Value, Taken = Shown> = FieldWith<
  keyof Options & TypedOption,
  Options,
  Value,
  Shown,
  Taken
>

/** The options from which types follow. */
type TypedOption = 'nullable' | 'default' | 'required' | 'fixed' | 'visible' | 'unique' | 'column' | 'source'

// Most fields have none of these options, or a default.
type FieldWith<Names, Options, Value, Shown, Taken> = [Names] extends [never]
  ? Field<Value, Shown, Taken, never, Unlinked>
  : [Names] extends ['default']
    ? Field<Value, Shown, Taken, 'optional', Unlinked>
    : [Options] extends [{ readonly source: unknown }]
      ? SourceField<Value, Shown, NullOf<Options>, ConditionalOf<Options>, SourceOf<Options>>
      : StoredField<Value, Shown, Taken, NullOf<Options>, TraitOf<Options>, ColumnOf<Options>>

// The compiler gives two references with the same arguments the same type, unless an argument is itself computed in the alias.
type StoredField<Value, Shown, Taken, Null, Trait extends FieldTrait, Column> = Field<
  Value | Null,
  Shown | Null,
  Taken | Null,
  Trait,
  FieldLink<'plain', null, null, Column, null>
>

/** A field that shows a value of a related row, which may be missing. */
export type SourceField<Value, Shown, Null, Trait extends FieldTrait, Source> = Field<
  Value | Null,
  Shown | null,
  never,
  Trait,
  FieldLink<'computed', null, null, null, Source>
>

/** The literal name in the option `column`; null for another one, or for none. */
export type ColumnOf<Options> = Options extends { readonly column: infer Column extends string }
  ? string extends Column
    ? null
    : Column
  : null

/** The literal path in the option `source`; null for another one. */
export type SourceOf<Options> = Options extends { readonly source: infer Path extends string }
  ? string extends Path
    ? null
    : Path
  : null

/** A method, because a function may name its own type of callers. */
type CallerCondition = { decide(caller: Caller): boolean }['decide']

/** A condition on the row, which the declared table checks. */
interface RowPredicate {
  readonly [path: string]: unknown
}

/** The properties that each kind of field defines itself. */
type FieldParts<Value> = Pick<FieldDefinition<Value>, 'kind' | 'parse'> & Partial<FieldDefinition<Value>>

/** Creates a field from its options and the properties of its kind. */
export function defineField<Value>(options: FieldOptions<Value>, parts: FieldParts<Value>): FieldDefinition<Value> {
  const { nullable = false, default: defaultValue, column, source, validators, messages, normalize, visible } = options
  const { editable, hiddenAs, orderedBy } = options
  if (orderedBy !== undefined && orderedBy.compileValue === undefined)
    throw new Error('orderedBy: give a computed field in SQL, such as computed(text(), ({ row }) => row.version_key)')
  if (hiddenAs !== undefined && (visible === undefined || typeof visible === 'function'))
    throw new Error('hiddenAs: it belongs to a condition on the row: write the condition in "visible"')
  const own: FieldParts<Value> = { ...(parts.columns === undefined && parts.kind.conversion), ...parts }
  const field = Object.freeze({
    required: options.required ?? (defaultValue === undefined && !nullable),
    nullable,
    readOnly: false,
    writeOnly: false,
    fixed: options.fixed ?? false,
    ...(isComputed(defaultValue) ? { default: undefined, createDefault: defaultValue } : { default: defaultValue }),
    label: options.label,
    help: options.help,
    ...(visible && createVisible(visible)),
    ...(editable && { editableRows: editable }),
    ...(hiddenAs && { hiddenAs }),
    ...(orderedBy && { orderedBy, columnUses: orderedBy.columnUses ?? [] }),
    ...(validators && { validate: createValidate(validators) }),
    ...(messages && { messages }),
    bounds: {},
    columns: (name: string) => [column ?? name],
    show(location: FieldLocation) {
      const value = columnReference(location, column ?? location.name)
      return own.showValue?.(value, location.dialect) ?? value
    },
    ...own,
    ...(normalize && { parse: parseNormalized(parts, normalize) }),
  })
  return source === undefined ? field : showFromSource(field, source)
}

const createVisible = (
  visible: NonNullable<FieldOptions<never>['visible']>,
): Pick<FieldDefinition, 'visible' | 'visibleRows'> =>
  typeof visible === 'function' ? { visible: visible as CallerCondition } : { visibleRows: visible }

const isComputed = <Value>(value: Value | DefaultFunction | undefined): value is DefaultFunction =>
  typeof value === 'function'

const createValidate =
  <Value>(validators: readonly FieldValidator<Value>[]): NonNullable<Field<Value>['validate']> =>
  async (value, context) => {
    for (const validate of validators) await validate(value, context)
  }

/** Makes a field read-only: its value in a request body is ignored. */
export function readOnly<Value, Shown, Trait extends FieldTrait = never, Link extends FieldLink = Unlinked>(
  field: Field<Value, Shown, unknown, Trait, Link>,
): Field<Value, Shown, never, Extract<Trait, 'conditional' | 'unique'>, Link> {
  checkIsField(field, 'readOnly(): the field')
  const definition: FieldDefinition<Value> = field
  refuseChildren('readOnly', definition, 'remove "writable"')
  return Object.freeze({ ...definition, readOnly: true, required: false })
}

function refuseChildren(wrapper: string, { writesChildren }: Pick<Field, 'writesChildren'>, advice: string): void {
  if (writesChildren)
    throw new Error(`${wrapper}(): a field of nested() with "writable" is written and shown: ${advice}`)
}

export interface WriteOnlyOptions<Stored extends boolean = boolean> {
  /** False: no column stores the value, and hooks get it if the body contains it. Default: true. */
  readonly stored?: Stored
}

/**
 * Makes a field write-only: no response contains it.
 *
 * @example
 * const password = writeOnly(text({ min: 8, trim: false }), { stored: false })
 */
export function writeOnly<
  Value,
  Taken,
  Trait extends FieldTrait,
  Link extends FieldLink,
  const Stored extends boolean = true,
>(
  field: Field<Value, unknown, Taken, Trait, Link>,
  { stored = true as Stored }: WriteOnlyOptions<Stored> = {},
): Field<Value, never, Taken, Trait, Stored extends false ? Computed : Link> {
  checkIsField(field, 'writeOnly(): the field')
  const definition: FieldDefinition<Value> = field
  refuseChildren('writeOnly', definition, 'name the fields that the actions show with "perAction"')
  // A new function: `completeField` keeps what differs from the field as it was created.
  return Object.freeze({ ...definition, writeOnly: true, ...(!stored && { columns: () => [] }) })
}
