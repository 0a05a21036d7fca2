// How bodies name a related object, and how representations show it: by its key or another unique field, by its URL, as
// text, or as an object.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import type { JsonSchema } from '../../describe/json-schema.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { formatTypeName, invalid, shorten } from '../../errors/invalid.ts'
import { describeIdentifier, findPublicIdentifier, type Identifier, type KeyValue } from '../../keys/key.ts'
import type { Field, FieldLocation, ParseContext, RelationTarget, SchemaBuilder } from '../field.ts'
import { createFieldIdentifier, createPathSegment, findKeyField, findPathIdentifier } from '../identifier.ts'
import { isShownAsText } from '../kinds/kind.ts'
import { selectRelated } from '../level.ts'
import { nameOnWire } from '../wire-names.ts'

/** How a body names a related object. */
export interface TakenForm {
  readonly identifier: Identifier
  /** The property of the related object's representation with the value that a body contains. */
  findValueField(): string
  /** Parses a value of the identifier; throws ValidationError. */
  parse(input: unknown, context: ParseContext): KeyValue
  /** Creates the error for a value that names no object; the value is undefined if it is unknown. */
  missing(value: KeyValue | undefined): ValidationError
  /** The JSON Schema of a value in a body. */
  describe(builder: SchemaBuilder): JsonSchema
}

/** The SQL of a related object with this key. */
export type ShowKey = (location: FieldLocation, key: Sql) => Sql

/** By key, as `publicId()` shows it. */
export function takeKey(target: RelationTarget): TakenForm {
  const identifier = findPublicIdentifier(target.key)
  return {
    identifier,
    // The fields of the target may not be resolved yet.
    findValueField() {
      const name = findKeyField(target)
      return name === undefined ? 'id' : nameOnWire(name, target.fields[name]!)
    },
    parse: input => parseKeyValue(input, identifier),
    missing: createMissingKeyError,
    describe: () => describeIdentifier(identifier),
  }
}

function parseKeyValue(input: unknown, identifier: Identifier): KeyValue {
  if (typeof input !== 'number' && typeof input !== 'bigint' && typeof input !== 'string') {
    throw invalid('incorrect_type', { type: formatTypeName(input) })
  }
  const key = identifier.type === 'uuid' ? identifier.read(input) : identifier.parse(String(input))
  if (key !== undefined) return key
  if (identifier.type !== 'integer' || typeof input !== 'string' || /^\d{1,100}$/.test(input))
    throw createMissingKeyError(input)
  throw invalid('incorrect_type', { type: 'str' })
}

const createMissingKeyError = (key: unknown) =>
  key === undefined ? invalid('does_not_exist.unknown') : invalid('does_not_exist', { value: formatInput(key) })

const maxEchoLength = 100

const formatInput = (value: unknown): string => shorten(String(value), maxEchoLength)

/** By a unique field of the target. */
export function takeField(target: RelationTarget, name: string): TakenForm {
  const identifier = findFieldIdentifier(target, name)
  const wireName = nameOnWire(name, target.fields[name]!)
  const missing = (value: unknown) =>
    value === undefined
      ? invalid('does_not_exist.field_unknown', { field: wireName })
      : invalid('does_not_exist.field', { field: wireName, value: formatInput(value) })
  return {
    identifier,
    findValueField: () => wireName,
    missing,
    describe: builder => builder.takenValue(target.fields[name]!),
    parse(input) {
      if (typeof input !== 'string' && typeof input !== 'number') throw invalid('invalid.related')
      try {
        return identifier.read(input)
      } catch (error) {
        // No object has a value that its own field rejects.
        throw error instanceof ValidationError ? missing(input) : error
      }
    },
  }
}

function findFieldIdentifier(target: RelationTarget, name: string): Identifier {
  try {
    return createFieldIdentifier(target, name)
  } catch (error) {
    throw new Error(`related(): by: resource "${target.name}": ${(error as Error).message}`)
  }
}

/** The JSON Schema of the URL of an object. */
export const urlSchema: JsonSchema = Object.freeze({ type: 'string', format: 'uri' })

/** By URL, or by a path that begins with a slash. */
export const takeUrl = (target: RelationTarget): TakenForm => ({
  identifier: findPathIdentifier(target),
  findValueField: () => 'url',
  parse: (input, context) => parseHyperlink(input, context, target),
  missing: () => invalid('does_not_exist.url'),
  describe: () => urlSchema,
})

function parseHyperlink(input: unknown, context: ParseContext, target: RelationTarget): KeyValue {
  if (typeof input !== 'string') {
    throw invalid('incorrect_type.url', { type: formatTypeName(input) })
  }
  const api = context.findApi?.(target) ?? context
  const path = findPath(api.baseUrl, input)
  const route = path === undefined ? undefined : api.route(path)
  if (route === undefined) throw invalid('no_match')
  if (route.name !== target.name || route.key === undefined) {
    throw invalid('incorrect_match')
  }
  return route.key
}

// URLs with another origin are rejected, even if their path exists here.
function findPath(baseUrl: string, input: string): string | undefined {
  const base = new URL(`${baseUrl}/`)
  if (!/^(?:https?:\/\/|\/(?!\/))/i.test(input) || !URL.canParse(input, base.href)) return undefined
  const { origin, pathname } = new URL(input, base.href)
  return origin === base.origin && pathname.startsWith(base.pathname)
    ? pathname.slice(base.pathname.length - 1)
    : undefined
}

/** Shows the value of an identifier. */
export const showIdentifier =
  (target: RelationTarget, identifier: Identifier): ShowKey =>
  (_location, key) =>
    selectIdentifier(target, identifier, key)

/** Shows the absolute URL. */
export const showUrl = (target: RelationTarget): ShowKey => {
  const identifier = findPathIdentifier(target)
  return (location, key) =>
    location.createUrl(
      target,
      createPathSegment(location.dialect, identifier, selectIdentifier(target, identifier, key)),
    )
}

const shownAlias = 'shown row'

/** The SQL of an identifier's value from that of the key. If the identifier is the key, it needs no query. */
export function selectIdentifier({ table, key }: RelationTarget, { column }: Identifier, value: Sql): Sql {
  if (column === key.column) return value
  return sql`(select ${sql.id(shownAlias, column)} from ${sql.table(table)} as ${sql.id(shownAlias)} where ${sql.id(shownAlias, key.column)} = ${value})`
}

/** The field that is the text of an object; throws if there is none, or if its value is not a text. */
export function findTextField({ name, objectName, fields }: RelationTarget): readonly [name: string, field: Field] {
  if (objectName === undefined) throw new Error(`related(): shows: "${name}" has no "objectName", which is its text`)
  const field = fields[objectName]!
  if (!isShownAsText(field.kind) || field.relation !== undefined)
    throw new Error(`related(): shows: the "objectName" of "${name}" is the field "${objectName}", which is not a text`)
  return [objectName, field]
}

/** Shows the text of the related object. */
export function showText(target: RelationTarget): ShowKey {
  const [name, field] = findTextField(target)
  return selectShown(target, level => field.show({ ...level, name }))
}

/** Shows the SQL that `select` creates at the level of the related object. Its key is null if the caller may not see it. */
export const selectShown =
  (target: RelationTarget, select: (level: FieldLocation) => Sql): ShowKey =>
  (location, key) =>
    selectRelated(location, { target, ignoreRowFilter: true }, key, select)
