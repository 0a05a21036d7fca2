// Reads the request body of a write. After each field has parsed its value, the database checks that related objects exist
// and unique values are free, with statements that are compiled once. Then the resource validates the whole object.

import type { HandlerContext } from '../context.ts'
import type { Arguments, Database, SqlValue } from '../database/database.ts'
import { type Field, type Fields, invalid, type Relation } from '../fields/field.ts'
import { absent } from '../fields/form-value.ts'
import { type Check, defaultValues, readFields } from '../fields/read-fields.ts'
import type { KeyValue } from '../keys/key.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { BoundResourceOptions } from './bound-resource-options.ts'
import type { Values } from './declared-fields.ts'
import { createRelatedRows, type RelatedRows } from './related-rows.ts'
import type { Resource, WriteContext } from './resource.ts'
import { compileExistence, compileIsSame, compileSameValues } from './sql/check.ts'
import { formatKeyList } from './sql/key-list.ts'
import { registerRelations } from './sql/statements.ts'
import { storageColumn, toStoredValue } from './storage.ts'

/** One write whose request body is read. */
export interface Validation {
  readonly request: HandlerContext
  readonly context: WriteContext
  readonly partial: boolean
  /** The current values of the object; empty for a new one. */
  readonly existing: Values
  /** The values that the URL sets; the body cannot change them. */
  readonly urlValues?: Values
  /** The values of the related resources' row filters. */
  readonly related: Arguments
}

/** Reads a request body; rejects with ValidationError. */
export type Validator = (validation: Validation) => Promise<Values>

type CheckContext = Pick<Validation, 'related'> & Pick<WriteContext, 'id'>
/** Resolves to the value to store, or to `absent` if it stays unchanged; rejects with ValidationError. */
type ValueCheck = (value: unknown, context: CheckContext) => Promise<unknown>

type ValidationOptions = Pick<BoundResourceOptions, 'database' | 'api'> & { readonly related: RelatedRows }

export function createValidator(resource: Resource, fields: Fields, options: ValidationOptions): Validator {
  const { database, api } = options
  const valueChecks = new Map(
    Object.entries(fields).map(([name, field]) => [name, createValueChecks(resource, name, field, options)]),
  )
  const defaults = findOtherDefaults(resource, fields)
  const uniqueSetChecks = resource.uniqueTogether.map(names => createUniqueSetCheck(database, resource, names))
  return async ({ request, context, partial, existing, urlValues = {}, related }) => {
    const { id } = context
    const readable = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(urlValues, name)))
    const readOptions = { partial, exists: id !== undefined, context: api.createParseContext(request.baseUrl) }
    const read = await readFields(readable, request.body, readOptions, async (name, value) => {
      let checked = value
      for (const checkValue of valueChecks.get(name)!)
        if (checked !== absent) checked = await checkValue(checked, { related, id })
      return checked
    })
    const values: Values = { ...(id === undefined && defaults), ...read, ...urlValues }
    const complete = { ...existing, ...values } as Record<string, unknown>
    for (const checkUniqueSet of uniqueSetChecks) await checkUniqueSet(complete, id)
    await resource.validate?.(complete, { ...context, connection: database })
    return values
  }
}

/** Checks that every related object that a request body refers to exists. */
export function createRelationCheck(
  fields: Fields,
  { database, api, whenResolved }: Pick<BoundResourceOptions, 'database' | 'api' | 'whenResolved'>,
): (context: HandlerContext) => Check {
  const related = createRelatedRows(api)
  whenResolved(() => registerRelations(fields, related))
  const valueChecks = new Map<string, ValueCheck>()
  for (const [name, { relation, readOnly }] of Object.entries(fields))
    if (relation && !readOnly) valueChecks.set(name, createExistenceCheck(database, relation, related))
  return context => {
    let reading: MaybePromise<Arguments> | undefined
    return async (name, value) => {
      const checkValue = valueChecks.get(name)
      if (checkValue === undefined) return value
      reading ??= related.readValues(context)
      return checkValue(value, { related: await reading, id: undefined })
    }
  }
}

// A new object also gets the defaults of the fields that its request body cannot contain.
function findOtherDefaults(resource: Resource, bodyFields: Fields): Values {
  const otherFields = Object.entries(resource.fields).filter(([name]) => !Object.hasOwn(bodyFields, name))
  return defaultValues(Object.fromEntries(otherFields))
}

function createValueChecks(
  resource: Resource,
  name: string,
  field: Field,
  { database, related }: ValidationOptions,
): readonly ValueCheck[] {
  const { readOnly, relation, unique, fixed } = field
  if (readOnly) return []
  const column = storageColumn(name, field)
  return [
    ...(relation === undefined ? [] : [createExistenceCheck(database, relation, related)]),
    ...(fixed ? [createFixedCheck(database, resource, name)] : []),
    ...(unique === undefined || column === undefined ? [] : [createUniquenessCheck(database, resource, name, unique)]),
  ]
}

function createExistenceCheck(
  database: Database,
  relation: Relation,
  { visibleCondition: visible }: RelatedRows,
): ValueCheck {
  const { target, identifier, missing, ignoreRowFilter } = relation
  const statement = compileExistence(database, { target, identifier }, () =>
    ignoreRowFilter ? undefined : visible(target, target.table),
  )
  return async (value, { related }) => {
    if (value === null) return null
    const keys = Array.isArray(value) ? value : [value]
    if (keys.length === 0) return value
    const select = (given: readonly KeyValue[]) =>
      database.run(statement, { keys: formatKeyList(database.dialect, identifier, given), ...related })
    const rows = await select(keys)
    const existing = new Map(rows.map(([key, name = key]) => [name, key]))
    const found: KeyValue[] = []
    for (const given of keys) {
      // A column such as citext finds a value in another spelling.
      const key = existing.get(given) ?? (identifier.type === 'string' ? (await select([given]))[0]?.[0] : undefined)
      if (key === undefined) throw missing(given)
      found.push(key)
    }
    return Array.isArray(value) ? found : found[0]
  }
}

// The database compares the values, because equal values can have several texts: `1.5` and `1.50`.
function createFixedCheck(database: Database, resource: Resource, name: string): ValueCheck {
  const field = resource.fields[name]!
  const isSame = compileIsSame(database, resource, name)
  return async (value, { id }) => {
    if (id === undefined) return value
    const stored = toStoredValue(field, value)
    const row = await database.first(stored === null ? isSame.null : isSame.value, {
      id,
      ...(stored !== null && { value: stored }),
    })
    if (row === undefined) throw invalid('This field cannot be changed after creation.', 'fixed')
    return absent
  }
}

function createUniquenessCheck(database: Database, resource: Resource, name: string, message: string): ValueCheck {
  const isTaken = createTakenCheck(database, resource, [name])
  return async (value, { id }) => {
    if (value !== null && (await isTaken({ [name]: value }, id))) throw invalid(message, 'unique')
    return value
  }
}

// A set that contains null is always unique, as in SQL.
function createUniqueSetCheck(database: Database, resource: Resource, names: readonly string[]) {
  const isTaken = createTakenCheck(database, resource, names)
  return async (values: Readonly<Record<string, unknown>>, id: KeyValue | undefined): Promise<void> => {
    if (names.some(name => values[name] === undefined || values[name] === null)) return
    if (await isTaken(values, id)) throw invalid(formatUniqueSetMessage(names), 'unique')
  }
}

// The check resolves to true if another object has these values.
function createTakenCheck(database: Database, resource: Resource, names: readonly string[]) {
  const statement = compileSameValues(database, resource, names)
  return async (values: Readonly<Record<string, unknown>>, id: KeyValue | undefined): Promise<boolean> => {
    const parameters = names.map((name): [string, SqlValue] => [
      name,
      toStoredValue(resource.fields[name]!, values[name]),
    ])
    const rows = await database.run(statement, Object.fromEntries(parameters))
    return rows.some(([key]) => key !== id)
  }
}

/** The message if another object has the same values in these fields. */
export const formatUniqueSetMessage = (names: readonly string[]): string =>
  `The fields ${names.join(', ')} must make a unique set.`
