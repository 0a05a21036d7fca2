// Reads the request body of a write. After each field has parsed its value, the database checks that related objects exist
// and unique values are free, with statements that are compiled once.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Database } from '../../database/database.ts'
import { invalid } from '../../errors/invalid.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Field, Fields } from '../../fields/field.ts'
import { absent } from '../../fields/forms/form-value.ts'
import { listLookupFields } from '../../fields/identifier.ts'
import { type Check, createDefaults, defaultValues, readFields, selectGiven } from '../../fields/read-fields.ts'
import { createOrigin } from '../../fields/request-values.ts'
import { listChildren, storageColumn, toStoredValue } from '../../fields/storage.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { View } from '../../view/view.ts'
import { hasHooks } from '../declare/hooks.ts'
import type { RequestRows } from '../declare/request-rows.ts'
import type { Resource } from '../declare/resource.ts'
import type { MountedApi } from '../names/mounted-api.ts'
import { checkPathValue, findTakenBy, hasNamedUrls } from '../names/taken-segments.ts'
import type { ActionPlans } from '../sql/action-plan.ts'
import { createChangeableFinder } from '../sql/changeable-fields.ts'
import { compileIsSame } from '../sql/check.ts'
import type { RelatedRows } from '../sql/related-rows.ts'
import type { ChildrenWrite, ReadChildren } from './children.ts'
import { createExistenceCheck, type RelationCheck } from './existence.ts'
import { normalizeBody } from './normalize-body.ts'
import { listOtherFields, listOtherNames } from './other-fields.ts'
import { createUniquenessCheck, createUniqueSetCheck, type ObjectCheck } from './uniqueness.ts'

/** A write whose request body is read, or several bodies of one request. */
export interface Validation extends Omit<ObjectCheck, 'id'>, RelationCheck {
  readonly request: HandlerContext
  readonly partial: boolean
  /** The values that the URL sets; the body cannot change them. */
  readonly urlValues?: Values
  /** Counts the rows of the request. */
  readonly rows: RequestRows
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

interface CheckContext extends RelationCheck, ObjectCheck, Pick<Validation, 'request' | 'partial' | 'rows'> {
  /** Gets the children that the body contains. */
  readonly children: ChildrenByField
}

type ChildrenByField = Map<string, ChildrenWrite>

/** Returns the value to store, or `absent` if it stays unchanged; throws or rejects with ValidationError. */
type ValueCheck = (value: unknown, context: CheckContext) => MaybePromise<unknown>

interface ValidationOptions {
  readonly database: Database
  readonly api: MountedApi
  readonly readChildren: ReadChildren
  /** The segments of URLs that values of a lookup cannot have. */
  readonly takenSegments: ReadonlySet<string>
  readonly related: RelatedRows
  readonly plans: ActionPlans
}

export function createValidator(resource: Resource, fields: Fields, options: ValidationOptions): Validator {
  const { database, api } = options
  const valueChecks = listValueChecks(resource, fields, options)
  const others = listOtherFields(resource, fields)
  const defaults = defaultValues(others)
  const createsOthers = Object.values(others).some(
    ({ createDefault, readOnly }) => createDefault !== undefined && !readOnly,
  )
  const isGivenNeeded = hasHooks(resource, 'update')
  const uniqueSetChecks = resource.uniqueTogether.map(names => createUniqueSetCheck(database, resource, names))
  const hasChildren = listChildren(fields).some(([, { readOnly }]) => !readOnly)
  const needsMore = resource.normalize !== undefined || uniqueSetChecks.length > 0 || createsOthers
  const selectReadable = createFieldSelection(fields)
  const findChangeable = createChangeableFinder(database, resource, fields, options.related)
  const otherNames = listOtherNames(resource, options.plans)
  return validation => {
    const { request, partial, urlValues = noValues } = validation
    const readable = selectReadable(urlValues)
    const context = {
      ...api.createParseContext(request.baseUrl),
      refusesUnknown: (request.view as View).unknownFields === 'refuse',
      origin: createOrigin(request),
    }
    const shared = { partial, context, ...(context.refusesUnknown && { otherNames }) }
    const readers = {
      create: { complete: createCompletion(defaults, urlValues), options: { ...shared, exists: false } },
      update: { complete: createCompletion(noValues, urlValues), options: { ...shared, exists: true } },
    }
    const prepareChecks = createChecks(valueChecks, validation, hasChildren)
    const read = (object: ObjectToRead, readable: Fields): MaybePromise<ReadValues> => {
      const { body, id, existing } = object
      const { complete, options } = id === undefined ? readers.create : readers.update
      const { check, children } = prepareChecks(id)
      const finish = (values: Values, given: Values): ReadValues => ({
        values,
        given: isGivenNeeded ? selectGiven(readable, body, given, { partial }) : noValues,
        children: children.size === 0 ? noChildren : selectChildren(children, values),
      })
      const reading = readFields(readable, body, options, check)
      if (!needsMore && !isPromise(reading)) return finish(complete(reading), reading)
      return (async () => {
        const given = await normalizeBody(resource, await reading, { fields: readable, options, check })
        const isNew = createsOthers && id === undefined
        const values = complete(isNew ? { ...(await createDefaults(others, context)), ...given } : given)
        for (const checkUniqueSet of uniqueSetChecks)
          await checkUniqueSet({ ...existing, ...values }, { ...validation, id })
        return finish(values, given)
      })()
    }
    return object => {
      const { id } = object
      if (findChangeable === undefined || id === undefined) return read(object, readable)
      return findChangeable(readable, { ...validation, id }).then(changeable => read(object, changeable))
    }
  }
}

// `normalize` may have left out the field of children.
const selectChildren = (children: ChildrenByField, values: Values): readonly ChildrenWrite[] =>
  [...children].flatMap(([name, write]) => (Object.hasOwn(values, name) ? write : []))

const noValues: Values = Object.freeze({})
const isEmpty = (values: Values): boolean => Object.keys(values).length === 0
const noChildren: readonly ChildrenWrite[] = Object.freeze([])

/** Adds default values and those of the URL to the values of a body. */
const createCompletion = (defaults: Values, urlValues: Values): ((read: Values) => Values) =>
  isEmpty(defaults) && isEmpty(urlValues) ? read => read : read => ({ ...defaults, ...read, ...urlValues })

/** The checks of one body, and the children that they read. */
interface PreparedChecks {
  readonly check: Check | undefined
  readonly children: ChildrenByField
}

type ValueChecks = ReadonlyMap<string, readonly ValueCheck[]>

/** Prepares the checks of bodies of one request. All new objects without children share them. */
function createChecks(
  valueChecks: ValueChecks,
  validation: Validation,
  hasChildren: boolean,
): (id: KeyValue | undefined) => PreparedChecks {
  const create = (id: KeyValue | undefined): PreparedChecks => {
    const children: ChildrenByField = new Map()
    return { check: createCheck(valueChecks, { ...validation, id, children }), children }
  }
  const none: PreparedChecks = { check: undefined, children: new Map() }
  if (valueChecks.size === 0) return () => none
  if (hasChildren) return create
  const ofNew = create(undefined)
  return id => (id === undefined ? ofNew : create(id))
}

const createCheck =
  (valueChecks: ValueChecks, context: CheckContext): Check =>
  (name, value) => {
    const checks = valueChecks.get(name)
    return checks === undefined ? value : runChecks(checks, 0, value, context)
  }

function runChecks(
  checks: readonly ValueCheck[],
  index: number,
  value: unknown,
  context: CheckContext,
): MaybePromise<unknown> {
  const check = checks[index]
  if (check === undefined || value === absent) return value
  const checked = check(value, context)
  return isPromise(checked)
    ? checked.then(found => runChecks(checks, index + 1, found, context))
    : runChecks(checks, index + 1, checked, context)
}

/** Creates the selection of the fields that the URL does not set. It sets the same ones in all requests to a path. */
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

function listValueChecks(resource: Resource, fields: Fields, options: ValidationOptions): ValueChecks {
  const checks = new Map<string, readonly ValueCheck[]>()
  for (const [name, field] of Object.entries(fields)) {
    const ofField = createValueChecks(resource, name, field, options)
    if (ofField.length > 0) checks.set(name, ofField)
  }
  return checks
}

function createValueChecks(
  resource: Resource,
  name: string,
  field: Field,
  { database, related, readChildren, takenSegments }: ValidationOptions,
): readonly ValueCheck[] {
  const { readOnly, relation, unique, fixed, storedRows, childStorage } = field
  if (readOnly) return []
  if (childStorage) return [createChildrenCheck(readChildren, resource, name, field)]
  const column = storageColumn(name, field)
  return [
    ...(isInPath(resource, name, field) ? [createPathCheck(findTakenBy(resource, name, takenSegments))] : []),
    ...(storedRows ? [countKeys] : []),
    ...(relation === undefined ? [] : [createExistenceCheck(database, relation, related)]),
    ...(fixed ? [createFixedCheck(resource, name, { database, related })] : []),
    ...(unique === undefined || column === undefined ? [] : [createUniquenessCheck(database, resource, name, unique)]),
  ]
}

const createChildrenCheck =
  (readChildren: ReadChildren, parent: Resource, name: string, field: Field): ValueCheck =>
  async (items, { children, ...context }) => {
    const write = await readChildren({ ...context, parent, name, field, items })
    children.set(name, write)
    return write.values
  }

// Whether the field has the values that URLs of objects contain.
const isInPath = (resource: Resource, name: string, { keyColumn }: Field): boolean =>
  hasNamedUrls(resource) &&
  (resource.lookup === undefined ? keyColumn === resource.key.column : listLookupFields(resource).includes(name))

const createPathCheck =
  (taken: ReadonlySet<string>): ValueCheck =>
  value => {
    checkPathValue(value as KeyValue, taken)
    return value
  }

// Each item is a row of another table.
const countKeys: ValueCheck = (value, { rows }) => {
  if (Array.isArray(value)) rows.add(value.length)
  return value
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
