// How bodies name a related object, and how representations show it: by its key or another unique field, by its URL, as
// text, or as an object.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { type JsonSchema, withoutBounds } from '../../describe/json-schema.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { formatTypeName, invalid, shorten } from '../../errors/invalid.ts'
import { describeIdentifier, findPublicIdentifier, type Identifier, type KeyValue } from '../../keys/key.ts'
import type {
  Field,
  FieldDefinition,
  FieldLocation,
  ParseContext,
  RelationTarget,
  RowFilterOptions,
  SchemaBuilder,
} from '../field.ts'
import { createFieldIdentifier, createPathSegment, findKeyField, findPathIdentifier } from '../identifier.ts'
import { inheritFrom, inheritUses } from '../inner-fields.ts'
import { type FieldKind, isShownAsText, valueKind } from '../kinds/kind.ts'
import { urlKind } from '../kinds/url.ts'
import { pickFields, selectRelated, showObject } from '../level.ts'
import { nameOnWire } from '../wire-names.ts'

/** How a relation is taken and shown. */
export interface RelatedForms extends RowFilterOptions {
  /** A unique field of the related resource, whose value stands for the key in bodies and responses. */
  readonly by?: string
  /** Sets both `takes` and `shows`. */
  readonly form?: 'key' | 'url'
  /** The form in bodies; default: the key, or the value of the field `by`. */
  readonly takes?: 'key' | 'url'
  /**
   * The form in responses: the key (or the value of the field `by`), the URL, the text (the `objectName` of the related
   * resource), or an object with the named fields. Default: the same as a body.
   */
  readonly shows?: 'key' | 'url' | 'text' | readonly string[]
}

/** The two forms of a relation. */
export interface Forms {
  readonly kind: FieldKind
  readonly taken: TakenForm
  readonly show: ShowKey
  readonly linked: boolean
  readonly showsIdentifier: boolean
  describeShown(builder: SchemaBuilder): JsonSchema
  /** True: `show` selects a JSON object. */
  readonly isObject: boolean
  readonly parts: ReturnType<typeof inheritFrom> & Pick<FieldDefinition, 'shownFields'>
}

export function createForms(
  target: RelationTarget,
  { by, form, takes = form, shows = form ?? takes }: RelatedForms,
): Forms {
  const key = by === undefined ? takeKey(target) : takeField(target, by)
  const taken = takes === 'url' ? takeUrl(target) : key
  const common = {
    kind: takes === 'url' ? urlKind : valueKind,
    taken,
    linked: false,
    showsIdentifier: false,
    isObject: false,
    parts: {},
  } as const
  if (shows === 'url') return { ...common, linked: true, show: showUrl(target), describeShown: () => urlSchema }
  if (shows === 'text') {
    const [name, field] = findTextField(target)
    return {
      ...common,
      show: selectShown(target, level => field.show({ ...level, name })),
      describeShown: builder => builder.shownValue(field),
      parts: inheritUses({ [name]: field }),
    }
  }
  if (shows === undefined || shows === 'key')
    return {
      ...common,
      showsIdentifier: true,
      show: showIdentifier(target, key.identifier),
      describeShown: builder => withoutBounds(key.describe(builder)),
    }
  const fields = pickFields(target, shows as readonly string[], 'related(): shows')
  const selectObject = selectShown(target, level => showObject(level, fields))
  const show: ShowKey = (location, key) => location.dialect.json(selectObject(location, key))
  const parts = { shownFields: fields, ...inheritFrom(fields) }
  return { ...common, isObject: true, show, describeShown: builder => builder.shownObject(fields), parts }
}

/** How a body names a related object. */
interface TakenForm {
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
type ShowKey = (location: FieldLocation, key: Sql) => Sql

/** By key, as `publicId()` shows it. */
function takeKey(target: RelationTarget): TakenForm {
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
function takeField(target: RelationTarget, name: string): TakenForm {
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
const urlSchema: JsonSchema = Object.freeze({ type: 'string', format: 'uri' })

/** By URL, or by a path that begins with a slash. */
const takeUrl = (target: RelationTarget): TakenForm => ({
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
const showIdentifier =
  (target: RelationTarget, identifier: Identifier): ShowKey =>
  (_location, key) =>
    selectIdentifier(target, identifier, key)

/** Shows the absolute URL. */
const showUrl = (target: RelationTarget): ShowKey => {
  const identifier = findPathIdentifier(target)
  return (location, key) =>
    location.createUrl(
      target,
      createPathSegment(location.dialect, identifier, column => selectIdentifier(target, { column }, key)),
    )
}

const shownAlias = 'shown row'

/** The SQL of an identifier's value from that of the key. If the identifier is the key, it needs no query. */
export function selectIdentifier(target: RelationTarget, { column }: Pick<Identifier, 'column'>, value: Sql): Sql {
  const { key } = target
  if (column === key.column) return value
  return sql`(select ${sql.id(shownAlias, column)} from ${rowsOf(target, shownAlias)} where ${sql.id(shownAlias, key.column)} = ${value})`
}

/** The field that is the text of an object; throws if there is none, or if its value is not a text. */
function findTextField({ name, objectName, fields }: RelationTarget): readonly [name: string, field: Field] {
  if (objectName === undefined) throw new Error(`related(): shows: "${name}" has no "objectName", which is its text`)
  const field = fields[objectName]!
  if (!isShownAsText(field.kind) || field.relation !== undefined)
    throw new Error(`related(): shows: the "objectName" of "${name}" is the field "${objectName}", which is not a text`)
  return [objectName, field]
}

/** Shows the SQL that `select` creates at the level of the related object. Its key is null if the caller may not see it. */
const selectShown =
  (target: RelationTarget, select: (level: FieldLocation) => Sql): ShowKey =>
  (location, key) =>
    selectRelated(location, { target, ignoreRowFilter: true }, key, select)
