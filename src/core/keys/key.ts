// The primary key of a resource: which column holds it, what its values are, and who makes the key of a new object. A key
// in a path that `parse` does not accept is a 404; in a body, `read` rejects it with ValidationError.

import type { JsonSchema } from '../describe/json-schema.ts'

/** The value of a key: in the database, in hooks, and bound to a parameter of a statement. */
export type KeyValue = number | string

/** The types of a key, for the compiler. */
export interface KeyTypes<
  out Value extends KeyValue = KeyValue,
  out Shown extends KeyValue = KeyValue,
  out Taken extends KeyValue | undefined = KeyValue | undefined,
> {
  /** In hooks and in the database. */
  readonly value: Value
  /** In responses, and in bodies that refer to the object. */
  readonly shown: Shown
  /** In the body that creates the object; `never` if no body gives the key, and with `undefined` if a body may leave it out. */
  readonly taken: Taken
}

/** A unique column by which paths and bodies name an object: the key, or a column that stands for it. */
export interface Identifier {
  readonly column: string
  readonly type: 'integer' | 'uuid' | 'string'
  /** True: a URL contains every value unchanged. False: a URL contains it percent-encoded (RFC 3986 §2.1). */
  readonly isUrlSafe: boolean
  /** Parses a decoded part of a path. Undefined if no object can have this value, or if the value has another spelling. */
  parse(text: string): KeyValue | undefined
  /** Parses a value in a body or a query; throws ValidationError. */
  read(input: unknown): KeyValue
  /** The JSON Schema of a value; default: by the type. */
  readonly schema?: JsonSchema
  /** The columns that name an object together. A path has a segment for each, and a value is the JSON of a list of theirs. */
  readonly parts?: readonly IdentifierPart[]
}

/** A column of an {@link Identifier} with several. */
export interface IdentifierPart extends Identifier {
  /** The field, and the parameter of the path. */
  readonly name: string
}

/** The primary key of a resource. */
export interface Key<Types extends KeyTypes = KeyTypes> extends Identifier {
  /** Exists only for the compiler. */
  readonly '~types'?: Types
  /** Who makes the key of a new object: the database, the service, or the body of the request. */
  readonly source: 'database' | 'service' | 'body'
  /** Whether the body may give a key that the service otherwise makes. */
  readonly mayBeGiven?: boolean
  /** The column that paths and bodies contain instead of the key. */
  readonly publicIdentifier?: Identifier
  /** The bounds of a key in a body, as OPTIONS and forms show them. */
  readonly bounds?: Readonly<Record<string, number>>
  /** The values that a key may have; undefined for any. */
  readonly choices?: ReadonlySet<string>
  /** Makes the columns that identify a new object; undefined if the service makes none. */
  create?(): Readonly<Record<string, string>>
}

/** The options of every key. */
export interface KeyOptions {
  /** The primary key column; default: `id`. */
  readonly column?: string
}

/** The JSON Schema of an identifier's values. */
export const describeIdentifier = ({ type, schema = typeSchemas[type] }: Identifier): JsonSchema => schema

const typeSchemas: Readonly<Record<Identifier['type'], JsonSchema>> = {
  integer: { type: 'integer', format: 'int64' },
  uuid: { type: 'string', format: 'uuid' },
  string: { type: 'string' },
}

/** The identifier that bodies, and paths without a `lookup`, contain. */
export const findPublicIdentifier = (key: Key): Identifier => key.publicIdentifier ?? key

/** Whether the body that creates an object may contain its key. */
export const takesKey = ({ source, mayBeGiven = false }: Key): boolean => source === 'body' || mayBeGiven

/** False for texts that no path can contain as a segment: clients remove `.` and `..` (RFC 3986 §5.2.4). */
export const isPathSegment = (value: KeyValue): boolean => !['', '.', '..'].includes(String(value))

/** The name that a path contains for this value. */
export const formatPathSegment = (value: KeyValue): string => encodeURIComponent(value)

/** The part of a path that names an object by the value of an identifier. */
export const formatName = ({ parts }: Pick<Identifier, 'parts'>, value: KeyValue): string =>
  parts === undefined
    ? formatPathSegment(value)
    : (JSON.parse(String(value)) as readonly KeyValue[]).map(formatPathSegment).join('/')

/** What a statement selects for this value: the value of the column, or the part of the path that several columns make. */
export const toRowName = (identifier: Pick<Identifier, 'parts'>, value: KeyValue): KeyValue =>
  identifier.parts === undefined ? value : formatName(identifier, value)

/** The part of a path that names an object, from what a statement selected. */
export const formatRowName = ({ parts }: Pick<Identifier, 'parts'>, name: KeyValue): string =>
  parts === undefined ? formatPathSegment(name) : String(name)
