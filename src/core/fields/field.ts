// A field is one member of a representation. It parses values from request bodies, stores them in the database, and
// selects them for responses. Parsing rejects with ValidationError, with the messages and codes of ERR-MSG.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: these parts of one contract refer to each other.

import { isObject } from '../base/is-object.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { SqlValue } from '../database/database.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import type { ParentRows } from '../database/row-source.ts'
import type { JsonSchema, SchemaContext } from '../describe/json-schema.ts'
import type { ValidationError } from '../errors/exceptions.ts'
import type { FieldMessages } from '../errors/field-messages.ts'
import type { RequestContext } from '../http/context.ts'
import type { FileRules } from '../http/files/file-rules.ts'
import type { Caller } from '../http/identity.ts'
import type { Identifier, Key, KeyValue } from '../keys/key.ts'
import type { MessageText } from '../messages/english.ts'
import type { NamedResource } from '../messages/title.ts'
import type { ChoiceGrid } from './choices/choice-grid.ts'
import type { Choices } from './choices/choices.ts'
import type { FieldLink, FieldTrait, FieldTypes, Unlinked } from './field-types.ts'
import type { FieldKind } from './kinds/kind.ts'

/** What a body may do with the field of an object, as SQL about its row. */
export interface RowRights {
  /** Whether the object shows the field; undefined if all do. */
  readonly visible?: (location: FieldLocation) => Sql
  /** Whether a body may change the field; undefined if all bodies that see it may. */
  readonly editable?: (location: FieldLocation) => Sql
}

/** A field without its types on the wire. `Value` is the type of a parsed value. */
export interface FieldDefinition<Value = unknown> {
  readonly kind: FieldKind
  readonly required: boolean
  readonly nullable: boolean
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** True: the value cannot be changed after creation. */
  readonly fixed: boolean
  readonly default: Value | undefined
  /** Computes the default of a new object; `default` is then undefined. */
  readonly createDefault?: DefaultFunction
  readonly label: MessageText | undefined
  readonly help: MessageText | undefined
  /** The name on the wire, if it differs from the declared name. */
  readonly wireName?: string
  /** Whether a caller sees the field. Undefined: every caller does. */
  visible?(caller: Caller): boolean
  /** The condition on the objects whose field the caller sees; the declared table of the resource completes the field. */
  readonly visibleRows?: { readonly [path: string]: unknown }
  /** The condition on the objects whose field bodies may change; the declared table of the resource completes the field. */
  readonly editableRows?: { readonly [path: string]: unknown }
  /** What an object shows that hides the field. Default: `absent`. */
  readonly hiddenAs?: 'absent' | 'null'
  /** The stored value as hooks, permissions and handlers get it; undefined if it is that of `show`. */
  showStored?(location: FieldLocation): Sql
  /** True: some objects hide it from the caller. */
  readonly isPartial?: boolean
  /** The conditions on the row whose field a body of the caller may change; undefined if it may change all that it sees. */
  readonly rowRights?: RowRights
  /** Bounds that OPTIONS and forms show, such as `max_length`. */
  readonly bounds: Readonly<Record<string, number>>
  /** The labels of the allowed values. */
  readonly choices?: Choices
  /** The table in which forms show the choices of a list. */
  readonly choiceGrid?: ChoiceGrid
  /** True: a text may be empty. Undefined for other types. */
  readonly blank?: boolean
  /** True: forms show an input with several lines. */
  readonly multiline?: boolean
  /** The error message if another object has the same value. */
  readonly unique?: MessageText
  /** Replaces messages of the field's errors. */
  readonly messages?: FieldMessages
  /** The columns of the resource's table that store the value of the field with this name. */
  columns(name: string): readonly string[]
  /** The fields of the object that the value is, if each is stored in a column of its own. They are null if the object is null. */
  readonly parts?: Fields
  /** The rows of another table that store the value, which is a list. */
  readonly storedRows?: StoredRows
  /** The objects that are written together with this one. */
  readonly childStorage?: ChildStorage
  /** Set if the field is completed later (`completeField`). */
  readonly completion?: FieldCompletion<Value>
  /** The name of the related resource, as long as no API has resolved it. */
  readonly targetName?: string
  /** The primary key's column, if the field is the primary key. */
  readonly keyColumn?: string
  /** True: the SQL of `show` depends on time or randomness. Undefined if `show` contains no SQL of the application. */
  readonly volatile?: boolean
  /** The values of the request that the SQL of `show` uses. */
  readonly requestUses?: RequestUses
  /** The related resource, if the values are its keys. */
  readonly relation?: Relation
  /** How the row leads to related rows; undefined for a relation to one object, whose column contains its key. */
  readonly join?: Join
  /** The fields of the related objects that the field shows; undefined if it shows no objects. */
  readonly shownFields?: Fields
  /** The column of another table that the field shows, and the column of this table that refers to its row. */
  readonly foreignColumn?: ForeignColumn
  /** The related rows that a value adds up: their table, and the column that refers to this object. */
  readonly sumOf?: { readonly table: string; readonly reverse: string }
  /** The currency of an amount, such as `EUR`. */
  readonly currency?: string
  /** Tables and columns that the field uses besides those that store it; they are checked against the database at start. */
  readonly columnUses?: readonly ColumnUse[]
  /** The field of each item of a list. */
  readonly child?: Field
  /** The fields of an object. */
  readonly children?: Fields
  /** True: bodies contain objects that are written together with this one. */
  readonly writesChildren?: true
  /** The store and the limits of the field's files. */
  readonly file?: FileRules
  /** True: `parse` also handles null, if the field is nullable, and undefined, if the body does not contain the field. */
  readonly parsesNullish?: boolean
  /** Parses a value of a body. Integers beyond ±(2^53 - 1) are passed as `bigint`. Throws ValidationError. */
  parse(input: unknown, context: ParseContext): Value | Promise<Value>
  /** Checks a parsed value; throws or rejects with ValidationError. */
  validate?(value: Value, context: ParseContext): void | Promise<void>
  /** Converts a value for its column; default: stored unchanged. */
  store?(value: Value): SqlValue
  /** The SQL condition of a filter by this value, which `store` has converted; default: the column equals it. */
  compileFilter?(column: Sql, value: Sql, dialect: Dialect): Sql
  /** The SQL that selects the value for the JSON of a representation. */
  show(location: FieldLocation): Sql
  /** The SQL of a value that no column of the row contains, as filters compare it: `show` without the conversion to JSON. */
  compileValue?(location: FieldLocation): Sql
  /** The field whose value queries compare instead; default: the field itself. */
  readonly queriedAs?: Field
  /** The field in SQL whose value orders lists instead; default: the field itself. */
  readonly orderedBy?: Field
  /** The SQL that converts a value of the field's column type for JSON; default: the value is not converted. */
  showValue?(value: Sql, dialect: Dialect): Sql
  /** Computes the output from the value that `show` selected. Its numbers keep all digits (`parseExactNumbers`). */
  compute?(shown: unknown, context: RequestContext): unknown
  /** Like `compute`, for all objects of a page in one call. Returns the outputs in the order of `shown`. */
  computeAll?(shown: readonly unknown[], context: RequestContext): MaybePromise<readonly unknown[]>
  /** The JSON Schema of a value in a body, in the form that responses have, without null; default: by the kind. */
  describeTaken?(builder: SchemaBuilder): JsonSchema
  /** The JSON Schema of a value in a response, without null; default: that in a body, without its bounds. */
  describeShown?(builder: SchemaBuilder): JsonSchema
}

/** How a field is created again, once more is known about it. Use `completeField`, which keeps what was changed meanwhile. */
export interface FieldCompletion<Value = unknown> {
  /** The field as it was created, before wrappers such as readOnly() changed it. */
  readonly created: FieldDefinition<Value>
  /** For its name: a relation without a `column` derives it from the name. */
  readonly forName?: (name: string) => FieldDefinition<Value>
  /** For the key of its resource; only the field `key()` has it. */
  readonly forKey?: (key: Key) => FieldDefinition<Value>
  /** For the declared table of its resource: a value of related rows finds them by it. */
  readonly forTable?: (table: { readonly name: string }) => FieldDefinition<Value>
  /** For the relation that the declared table of its resource has under its name: where its keys are stored. */
  readonly forRelation?: (relation: DeclaredRelation) => FieldDefinition<Value>
  /** Set if the field has no storage without that relation: what to write if the resource has no declared table. */
  readonly needsRelation?: string
  /** For the resources that an API has: a relation gets the one to which it refers. */
  readonly forTargets?: (find: (target: RelationTarget | string) => RelationTarget) => FieldDefinition<Value>
}

/** The method of a request with a body. */
export type BodyMethod = 'POST' | 'PUT' | 'PATCH'

/** Builds the schemas of the parts of a field. */
export interface SchemaBuilder extends SchemaContext {
  /** The method of the body that the schema describes. */
  readonly method: BodyMethod
  /** The schema of a field in bodies, with null and its texts. */
  taken(field: FieldDefinition): JsonSchema
  shown(field: FieldDefinition): JsonSchema
  /** The schema of the value alone. */
  takenValue(field: FieldDefinition): JsonSchema
  shownValue(field: FieldDefinition): JsonSchema
  /** An object of a body with these fields. */
  takenObject(fields: Fields, method: BodyMethod): JsonSchema
  /** A related object. A query may select its fields. */
  shownObject(fields: Fields): JsonSchema
  /** An object that a field stores. */
  storedObject(fields: Fields): JsonSchema
}

/** The values of a request that SQL uses as parameters. */
export interface RequestUses {
  /** The names of properties of the caller. */
  readonly caller: readonly string[]
  /** True: the SQL uses the time of the request. */
  readonly now: boolean
  /** True: the SQL uses the language of the request. */
  readonly language?: boolean
}

/** Whether SQL uses any value of the request. */
export const usesRequest = ({ caller, now, language = false }: RequestUses): boolean =>
  now || language || caller.length > 0

/**
 * A field of a resource, with its types: `Value` of a parsed value, `Shown` in responses (`never`: write-only), `Taken` in
 * request bodies (`never`: read-only). `Trait`: `optional` if a body need not contain it, `unique` if its value names an object.
 */
export interface Field<
  Value = unknown,
  Shown = Value,
  Taken = Shown,
  Trait extends FieldTrait = unknown extends Value ? FieldTrait : never,
  Link extends FieldLink = unknown extends Value ? FieldLink : Unlinked,
> extends FieldDefinition<Value> {
  /** Exists only for the compiler. */
  readonly '~types'?: FieldTypes<Value, Shown, Taken, Trait, Link>
}

/** Fields by name, in the order of the representation. */
export type Fields = Readonly<Record<string, Field>>

/** The parsed values of fields. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends FieldDefinition<infer V> ? V : never
}

/** The rows of a join table that store the values of a field. */
export interface StoredRows extends JoinTable {
  /** Default: keys. */
  readonly of?: 'texts'
  /** The SQL condition for the values that the field shows and replaces; default: all of them. */
  readonly isOwn?: (value: Sql) => Sql
}

/** A kind of change that a list of children in a body may make. */
export type ChildAction = 'add' | 'change' | 'remove' | 'select'

/** Objects of another resource that are written together with this one: they refer to it, or it refers to one of them. */
export interface ChildStorage {
  readonly target: RelationTarget
  /** The column of the children that contains this object's key; undefined if `column` or `join` is set. */
  readonly reverse: string | undefined
  /** The column of this object that contains the key of its only child. */
  readonly column: string | undefined
  /** The table that joins this object with others, which bodies select. */
  readonly join: JoinTable | undefined
  /** False: there is at most one child, and the value is an object or null. */
  readonly isList: boolean
  /** The names of the fields that the body of a child may contain. */
  readonly fields: readonly string[]
  readonly actions: ReadonlySet<ChildAction>
  /** The maximum number of children in a list. */
  readonly max: number
  /** The column of the children that contains their place in the list, from 0. */
  readonly position: string | undefined
}

/** A join table: `own` is the column with this object's key, `other` the column with the related object's key. */
export interface JoinTable {
  readonly table: string
  readonly own: string
  readonly other: string
}

/** A reverse relation: `reverse` is the column of the related table that contains this object's key. */
export interface Reverse {
  readonly reverse: string
}

/** How a declared table stores a relation: in a column, in a column of the related rows, or in a table that joins both. */
export type DeclaredRelation = { readonly column: string } | Reverse | JoinTable

/** A table and column that a declaration uses, and the option that names them. */
export interface ColumnUse {
  readonly option: string
  /** Default: the table of the resource that declares the field. */
  readonly table?: string
  readonly column: string
  /** The resource to which the table belongs; an API of the application must contain it. */
  readonly target?: RelationTarget
  /** True: no API need contain `target`. */
  readonly mayBeUnmounted?: boolean
  /**
   * `single`: the column must be unique, so that one object has one child. `unshared`: the same, so that one child has one
   * parent. `place`: it must be able to store places in a list.
   */
  readonly purpose?: 'single' | 'unshared' | 'place'
  /** What to do if the table lacks the column; default: add it, or remove it from the declaration. */
  readonly advice?: string
}

/** The use of a related resource's key column in an option. */
export const createKeyUse = (option: string, target: RelationTarget): ColumnUse => ({
  option,
  table: target.table,
  column: target.key.column,
  target,
})

/** The uses of a join table in an option such as `many`. */
export const createJoinTableUses = (option: string, { table, own, other }: JoinTable): readonly ColumnUse[] => [
  { option: `${option}.own`, table, column: own },
  { option: `${option}.other`, table, column: other },
]

/** The properties of a related resource that a relation uses. */
export interface RelationTarget {
  readonly name: string
  /** The path of its list, below its API or an object; default: the name. */
  readonly path?: string
  readonly table: string
  /** Set if the table extends another one. */
  readonly parentRows?: ParentRows
  readonly key: Key
  /** The unique field in the URLs of its objects, or fields that are unique among the rows of a URL; default: the key. */
  readonly lookup?: string | readonly string[]
  /** The field that names an object. */
  readonly objectName?: string
  readonly fields: Fields
  /** The sets of fields whose values together are unique. */
  readonly uniqueTogether?: readonly (readonly string[])[]
  /** Its names on pages; default: derived from `name`. */
  readonly pages?: NamedResource['pages']
  /**
   * The name of the API that contains the resource, if several other APIs of the application do:
   * `{ ...customers, api: 'crm' }`. Default: the API of the relation if it contains the resource, otherwise the one other
   * API that does.
   */
  readonly api?: string
}

/** The rows of one resource, or, without `name`, the rows of a table that any number of resources may use. */
export type RowTarget = RelationTarget | { readonly name?: undefined; readonly table: string }

/** Options of every relation. */
export interface RowFilterOptions {
  /**
   * True: the caller can read and set related objects that their resource's row filter hides from the caller.
   * Default: false; this field then treats hidden objects as if they did not exist.
   */
  readonly ignoreRowFilter?: boolean
}

/** A relation to another resource. */
export interface Relation extends RowFilterOptions {
  readonly target: RelationTarget
  readonly many: boolean
  /** True: representations contain URLs of related objects. */
  readonly linked: boolean
  /** True: representations contain values of the identifier. */
  readonly showsIdentifier: boolean
  /** The unique column by which a body names a related object. */
  readonly identifier: Identifier
  /** The property of the related object's representation with the value that a body contains. */
  findValueField(): string
  /** Creates the error for a value of the identifier without a row; the value is undefined if it is unknown. */
  missing(value: KeyValue | undefined): ValidationError
}

/** Whether pages find the names, or the pages, of the objects to which a field refers. */
export const hasNames = ({ relation, foreignColumn }: Pick<FieldDefinition, 'relation' | 'foreignColumn'>): boolean =>
  relation === undefined ? foreignColumn !== undefined : relation.target.objectName !== undefined

/** The values by which pages find the objects to which a field with this value refers. */
export const listNamedValues = (field: Pick<FieldDefinition, 'relation'>, value: unknown): readonly unknown[] =>
  [value ?? []].flat().flatMap(item => findNamedValue(field, item) ?? [])

/** The value by which pages find a related object, which a response may show as an object. */
export const findNamedValue = ({ relation }: Pick<FieldDefinition, 'relation'>, value: unknown): unknown =>
  relation !== undefined && isObject(value) ? value[relation.findValueField()] : value

/** Whether pages treat the value as a secret. */
export const isSecret = ({ writeOnly, kind }: Pick<FieldDefinition, 'writeOnly' | 'kind'>): boolean =>
  writeOnly && kind.isFreeText === true

/** How a row leads to rows of another resource: by a column with the key, a join table, or a column that refers back. */
export interface Join extends RowFilterOptions {
  readonly target: RelationTarget
  readonly through: { readonly column: string } | JoinTable | Reverse
}

/** A column of another table, in the row to which the column `reference` of this table refers. */
export interface ForeignColumn extends RowFilterOptions {
  readonly reference: string
  readonly target: RowTarget
  readonly column: string
}

/** The part of the request and of the API that `parse` uses besides the value. */
export interface ParseContext {
  /** Origin and prefix of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Finds the resource at a path below the API's prefix, and the key if the path is the path of an object. */
  route(path: string): { readonly name: string; readonly key?: KeyValue } | undefined
  /** Finds the base URL and the paths of the API of a related resource; undefined outside of resources. */
  findApi?(target: RelationTarget): Pick<ParseContext, 'baseUrl' | 'route'>
  /** Whether objects with unknown members are refused. Default: these members are ignored. */
  readonly refusesUnknown?: boolean
  /** The request whose body is read; undefined for values that no request contains. */
  readonly origin?: DefaultContext
}

/** What the default of a field may depend on. */
export interface DefaultContext extends Caller {
  /** The time of the request, as date-times are stored. */
  readonly now: string
}

/** Computes a default for the caller and the time. A method, because its caller may have any type of user. */
export type DefaultFunction = { compute(context: DefaultContext): unknown }['compute']

/** Whether a new object has a value although no body gives one. */
export const hasInitial = ({ nullable, default: initial, createDefault }: FieldDefinition): boolean =>
  nullable || initial !== undefined || createDefault !== undefined

/** The context of values that no request contains, such as defaults. */
export const emptyContext: ParseContext = Object.freeze({ baseUrl: 'http://localhost', route: () => undefined })

/** The location at which a field appears in a representation. */
export interface FieldLocation {
  /** The field's name. */
  readonly name: string
  /** The resource's name. */
  readonly resource: string
  readonly table: string
  /** The fields of the table's resource. */
  readonly fields: Fields
  /** The key of the table's resource. */
  readonly key: Key
  /** The field in the URLs of the resource, or several; undefined for the key. */
  readonly lookup?: string | readonly string[] | undefined
  /** The SQL of the value to show instead of a column of the table. */
  readonly value?: Sql | undefined
  /** The nesting depth; 0 in the resource's own representation. */
  readonly depth: number
  readonly dialect: Dialect
  /**
   * The SQL of the absolute URL of the object that `segment` names (see `createPathSegment`): of a related resource, or
   * of the location's own resource by its name. `row`: the alias of the object's row, which leads to the parents in its URL. `below`:
   * the last segment of a URL below the object.
   */
  createUrl(resource: RelationTarget | string, segment: Sql, row?: string, below?: string): Sql
  /** The condition that rows of `target`, with the alias `table`, are visible to the caller; undefined if all are. */
  visibleCondition(target: RowTarget, table: string): Sql | undefined
  /** Whether the caller sees a field. */
  isShown(field: FieldDefinition): boolean
  /** How the fields of a related resource refer to other resources, when its objects are nested at this location. */
  within(target: RelationTarget): ResourceReferences
}

/** How the SQL of fields refers to resources. */
export type ResourceReferences = Pick<FieldLocation, 'createUrl' | 'visibleCondition' | 'isShown' | 'within'>
