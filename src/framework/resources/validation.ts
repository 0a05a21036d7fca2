// Reads the request body of a write. After each field has parsed its value, the database checks that related objects exist
// and unique values are free, with statements that are compiled once.

import type { HandlerContext } from '../context.ts'
import type { Arguments, Database } from '../database/database.ts'
import type { Values } from '../fields/declared-fields.ts'
import type { Field, Fields, Relation } from '../fields/field.ts'
import { absent } from '../fields/form-value.ts'
import { invalid } from '../fields/invalid.ts'
import { type Check, defaultValues, readFields, selectGiven } from '../fields/read-fields.ts'
import { isPathSegment, type KeyValue } from '../keys/key.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { RequestBody } from '../parsers/request-body.ts'
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

/** A write whose request body is read, or several bodies of one request. */
export interface Validation extends Omit<ObjectCheck, 'id'> {
  readonly request: HandlerContext
  readonly partial: boolean
  /** The values that the URL sets; the body cannot change them. */
  readonly urlValues?: Values
  /** The values of the related resources' row filters. */
  readonly related: Arguments
}

/** The object that a body creates or changes. */
export interface ObjectToRead extends Pick<ObjectCheck, 'id'> {
  readonly body: RequestBody
  /** The current values of the object; empty for a new one. */
  readonly existing: Values
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

/** Creates the function that reads the bodies of a request. */
export type Validator = (validation: Validation) => ReadBody

/** Reads a body; throws or rejects with ValidationError. Returns a promise only if something must be awaited. */
export type ReadBody = (object: ObjectToRead) => MaybePromise<ReadValues>

type RelationCheck = Pick<Validation, 'related' | 'connection' | 'gather'>

interface CheckContext extends RelationCheck, ObjectCheck, Pick<Validation, 'request' | 'partial'> {
  /** Gets the children that the body contains, by field. */
  readonly children: Map<string, ChildrenWrite>
}

/** Returns the value to store, or `absent` if it stays unchanged; throws or rejects with ValidationError. */
type ValueCheck<Context = CheckContext> = (value: unknown, context: Context) => MaybePromise<unknown>

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
  const hasValueChecks = [...valueChecks.values()].some(checks => checks.length > 0)
  const needsMore = resource.normalize !== undefined || uniqueSetChecks.length > 0
  const selectReadable = createFieldSelection(fields)
  return validation => {
    const { request, partial, urlValues = noValues } = validation
    const readable = selectReadable(urlValues)
    const context = api.createParseContext(request.baseUrl)
    const complete = (read: Values, isNew: boolean): Values => {
      const others = isNew ? defaults : noValues
      return isEmpty(others) && isEmpty(urlValues) ? read : { ...others, ...read, ...urlValues }
    }
    const finish = (read: Values, { body, id }: ObjectToRead, checkContext: CheckContext | undefined): ReadValues => {
      const values = complete(read, id === undefined)
      return {
        values,
        given: isGivenNeeded ? selectGiven(readable, body, read, { partial }) : noValues,
        children: checkContext === undefined ? noChildren : selectChildren(checkContext, values),
      }
    }
    return object => {
      const { body, id, existing } = object
      const checkContext = hasValueChecks ? { ...validation, id, children: new Map() } : undefined
      const check = checkContext && createCheck(valueChecks, checkContext)
      const options = { partial, exists: id !== undefined, context }
      const reading = readFields(readable, body, options, check)
      if (!needsMore && !isPromise(reading)) return finish(reading, object, checkContext)
      return (async () => {
        const read = await normalizeBody(resource, await reading, { fields: readable, options, check })
        const values = { ...existing, ...complete(read, id === undefined) }
        for (const checkUniqueSet of uniqueSetChecks) await checkUniqueSet(values, { ...validation, id })
        return finish(read, object, checkContext)
      })()
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

const noValues: Values = Object.freeze({})
const isEmpty = (values: Values): boolean => Object.keys(values).length === 0
const noChildren: readonly ChildrenWrite[] = Object.freeze([])

const createCheck =
  (valueChecks: ReadonlyMap<string, readonly ValueCheck[]>, context: CheckContext): Check =>
  (name, value) =>
    runChecks(valueChecks.get(name)!, value, context)

function runChecks(checks: readonly ValueCheck[], value: unknown, context: CheckContext): MaybePromise<unknown> {
  const [check, ...others] = checks
  if (check === undefined || value === absent) return value
  const checked = check(value, context)
  return isPromise(checked)
    ? checked.then(found => runChecks(others, found, context))
    : runChecks(others, checked, context)
}

// The fields that the URL does not set. It sets the same ones in all requests to a path.
function createFieldSelection(fields: Fields): (urlValues: Values) => Fields {
  const selections = new Map<string, Fields>()
  return urlValues => {
    const omitted = Object.keys(urlValues)
    if (omitted.length === 0) return fields
    const name = omitted.join(' ')
    const found =
      selections.get(name) ??
      Object.fromEntries(Object.entries(fields).filter(([field]) => !Object.hasOwn(urlValues, field)))
    selections.set(name, found)
    return found
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
