// Reads the request body of a write. After each field has parsed its value, the database checks that related objects exist
// and unique values are free, with statements that are compiled once.

import type { HandlerContext } from '../context.ts'
import type { Arguments, Database } from '../database/database.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { unwrapBody } from '../envelope/wrap.ts'
import type { Values } from '../fields/declared-fields.ts'
import type { Field, Fields, Relation } from '../fields/field.ts'
import { absent } from '../fields/form-value.ts'
import { invalid } from '../fields/invalid.ts'
import { type Check, defaultValues, readFields, selectGiven } from '../fields/read-fields.ts'
import { isPathSegment, type KeyValue } from '../keys/key.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { BoundResourceOptions } from './bound-resource-options.ts'
import type { ChildrenWrite, ReadChildren } from './children/children.ts'
import { hasHooks } from './hooks.ts'
import { normalizeBody } from './normalize-body.ts'
import { createRelatedRows, type RelatedRows } from './related-rows.ts'
import type { Resource } from './resource.ts'
import { compileExistence, compileIsSame } from './sql/check.ts'
import { formatKeyList } from './sql/key-list.ts'
import { registerRelations } from './sql/statements.ts'
import { storageColumn, toStoredValue } from './storage.ts'
import { createUniquenessCheck, createUniqueSetCheck, type ObjectCheck } from './uniqueness.ts'

/** One write whose request body is read. */
export interface Validation extends ObjectCheck {
  readonly request: HandlerContext
  readonly partial: boolean
  /** The current values of the object; empty for a new one. */
  readonly existing: Values
  /** The values that the URL sets; the body cannot change them. */
  readonly urlValues?: Values
  /** The values of the related resources' row filters. */
  readonly related: Arguments
  /** The names around the object in the body; undefined if the body is the object. */
  readonly envelope: Envelope | undefined
}

/** The values of a request body. */
export interface ReadValues {
  /** The values to write: those of the body, of the URL, and defaults. */
  readonly values: Values
  /** The values that the body contains; empty if the resource has no hooks. */
  readonly given: Values
  /** The children that are written with the object. */
  readonly children: readonly ChildrenWrite[]
}

/** Reads a request body; rejects with ValidationError. */
export type Validator = (validation: Validation) => Promise<ReadValues>

type RelationCheck = Pick<Validation, 'related' | 'connection' | 'gather'>

interface CheckContext extends RelationCheck, ObjectCheck, Pick<Validation, 'request' | 'partial'> {
  /** Gets the children that the body contains, by field. */
  readonly children: Map<string, ChildrenWrite>
}

/** Resolves to the value to store, or to `absent` if it stays unchanged; rejects with ValidationError. */
type ValueCheck<Context = CheckContext> = (value: unknown, context: Context) => Promise<unknown>

type ValidationOptions = Pick<BoundResourceOptions, 'database' | 'api' | 'readChildren'> & {
  readonly related: RelatedRows
}

export function createValidator(resource: Resource, fields: Fields, options: ValidationOptions): Validator {
  const { database, api } = options
  const valueChecks = new Map(
    Object.entries(fields).map(([name, field]) => [name, createValueChecks(resource, name, field, options)]),
  )
  const defaults = findOtherDefaults(resource, fields)
  const isGivenNeeded = hasHooks(resource, 'update')
  const uniqueSetChecks = resource.uniqueTogether.map(names => createUniqueSetCheck(database, resource, names))
  return async validation => {
    const { request, id, partial, existing, urlValues = noUrlValues, envelope } = validation
    const body = unwrapBody(request.requestBody, envelope)
    let checkContext: CheckContext | undefined
    const readable = omitFields(fields, urlValues)
    const readOptions = { partial, exists: id !== undefined, context: api.createParseContext(request.baseUrl) }
    const check: Check = (name, value) => {
      const checks = valueChecks.get(name)!
      if (checks.length === 0) return value
      checkContext ??= { ...validation, children: new Map() }
      return runChecks(checks, value, checkContext)
    }
    const parsed = await readFields(readable, body, readOptions, check)
    const read =
      resource.normalize === undefined
        ? parsed
        : await normalizeBody(resource, parsed, { fields: readable, options: readOptions, check })
    const values: Values = { ...(id === undefined && defaults), ...read, ...urlValues }
    for (const checkUniqueSet of uniqueSetChecks) await checkUniqueSet({ ...existing, ...values }, validation)
    return {
      values,
      given: isGivenNeeded ? selectGiven(readable, body, read, { partial }) : {},
      children: checkContext === undefined ? [] : selectChildren(checkContext, values),
    }
  }
}

/** Checks that every related object that a request body refers to exists. */
export function createRelationCheck(
  fields: Fields,
  { database, api, whenResolved }: Pick<BoundResourceOptions, 'database' | 'api' | 'whenResolved'>,
): (context: HandlerContext) => Check {
  const related = createRelatedRows(api)
  whenResolved(() => registerRelations(fields, related))
  const valueChecks = new Map<string, ValueCheck<RelationCheck>>()
  for (const [name, { relation, readOnly }] of Object.entries(fields))
    if (relation && !readOnly) valueChecks.set(name, createExistenceCheck(database, relation, related))
  return context => {
    let reading: MaybePromise<Arguments> | undefined
    return async (name, value) => {
      const checkValue = valueChecks.get(name)
      if (checkValue === undefined) return value
      reading ??= related.readValues(context)
      return checkValue(value, { related: await reading, connection: database })
    }
  }
}

// `normalize` may have left out the field of children.
const selectChildren = ({ children }: CheckContext, values: Values): readonly ChildrenWrite[] =>
  [...children].flatMap(([name, write]) => (Object.hasOwn(values, name) ? write : []))

const noUrlValues: Values = Object.freeze({})

async function runChecks(checks: readonly ValueCheck[], value: unknown, context: CheckContext): Promise<unknown> {
  let checked = value
  for (const checkValue of checks) if (checked !== absent) checked = await checkValue(checked, context)
  return checked
}

// The same fields if the URL sets none, which is the case in most requests.
const omitFields = (fields: Fields, urlValues: Values): Fields =>
  urlValues === noUrlValues || Object.keys(urlValues).length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(urlValues, name)))

// A new object also gets the defaults of the fields that its request body cannot contain.
function findOtherDefaults(resource: Resource, bodyFields: Fields): Values {
  const otherFields = Object.entries(resource.fields).filter(([name]) => !Object.hasOwn(bodyFields, name))
  return defaultValues(Object.fromEntries(otherFields))
}

function createValueChecks(
  resource: Resource,
  name: string,
  field: Field,
  { database, related, readChildren }: ValidationOptions,
): readonly ValueCheck[] {
  const { readOnly, relation, unique, fixed, storage } = field
  if (readOnly) return []
  if (storage.kind === 'children') return [createChildrenCheck(readChildren, name, field)]
  const column = storageColumn(name, field)
  return [
    ...(name === resource.lookup ? [checkLookupValue] : []),
    ...(relation === undefined ? [] : [createExistenceCheck(database, relation, related)]),
    ...(fixed ? [createFixedCheck(resource, name, { database, related })] : []),
    ...(unique === undefined || column === undefined ? [] : [createUniquenessCheck(database, resource, name, unique)]),
  ]
}

const createChildrenCheck =
  (readChildren: ReadChildren, name: string, field: Field): ValueCheck =>
  async (items, { children, ...context }) => {
    const write = await readChildren({ ...context, name, field, items })
    children.set(name, write)
    return write.values
  }

// The object would have no URL.
const checkLookupValue: ValueCheck = async value => {
  if (!isPathSegment(value as KeyValue)) throw invalid('invalid.key')
  return value
}

function createExistenceCheck(
  database: Database,
  relation: Relation,
  { visibleCondition: visible }: RelatedRows,
): ValueCheck<RelationCheck> {
  const { target, identifier, missing, ignoreRowFilter } = relation
  const statement = compileExistence(database, { target, identifier }, () =>
    ignoreRowFilter ? undefined : visible(target, target.table),
  )
  return async (value, { related, connection, gather }) => {
    if (value === null) return null
    const keys: readonly KeyValue[] = Array.isArray(value) ? value : [value]
    if (keys.length === 0) return value
    const select = (given: readonly KeyValue[]) =>
      connection.run(statement, { keys: formatKeyList(database.dialect, identifier, given), ...related })
    const find = async (given: readonly KeyValue[]) =>
      new Map((await select(given)).map(([key, name = key]) => [name, key]))
    const existing = await (gather === undefined
      ? find(keys)
      : gather(statement, keys, async lists => {
          const all = await find([...new Set(lists.flat())])
          return lists.map(() => all)
        }))
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
function createFixedCheck(
  resource: Resource,
  name: string,
  { database, related }: Pick<ValidationOptions, 'database' | 'related'>,
): ValueCheck {
  const field = resource.fields[name]!
  const isSame = compileIsSame(database, resource, { name, related })
  return async (value, { id, connection, related: relatedValues }) => {
    if (id === undefined) return value
    const stored = toStoredValue(field, value)
    const row = await connection.first(stored === null ? isSame.null : isSame.value, {
      ...relatedValues,
      id,
      ...(stored !== null && { value: stored }),
    })
    if (row === undefined) throw invalid('fixed')
    return absent
  }
}
