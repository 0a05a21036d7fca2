// Writes all items of a request, or none: they are read at the same time and written in one transaction. Rejects with
// ItemErrors.

import { createGather } from '../../../base/gather.ts'
import type { Arguments, Connection, TransactionOptions } from '../../../database/database.ts'
import { type APIException, ItemErrors, ValidationError } from '../../../errors/exceptions.ts'
import { invalid } from '../../../errors/invalid.ts'
import type { HandlerContext } from '../../../http/context.ts'
import type { KeyValue } from '../../../keys/key.ts'
import { checkObjectPermissions } from '../../../policy/permissions/permission.ts'
import { readFilterValues } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ReadUrlColumns } from '../../bind/url-columns.ts'
import type { Columns } from '../../declare/hooks.ts'
import { type RequestRows, startRows } from '../../declare/request-rows.ts'
import { runPortions } from '../../query/run-portions.ts'
import type { InsertedRow } from '../../sql/many.ts'
import { keepStoredJson } from '../../sql/serializer.ts'
import type { Place } from '../../validate/children.ts'
import { toUrlValues } from '../create.ts'
import { findRepeated } from '../many/find-repeated.ts'
import { insertAlone, insertRows } from '../many/insert-rows.ts'
import { type LoadedObject, type ReadRow, readRow } from '../many/read-row.ts'
import { type RowToRemove, removeRows } from '../many/remove-rows.ts'
import { lockRows, type RowToWrite, type RowWriter, readFilters } from '../many/row-writer.ts'
import { isItemError, type Settled, settleEach } from '../many/settle-each.ts'
import { updateRows } from '../many/update-rows.ts'
import { createTransactionOptions, parseSnapshot, retryLostRaces } from '../write.ts'
import type { NamedItem } from './named-items.ts'

/** An object that a request has written. */
export interface Written {
  readonly key: KeyValue
  /** The value in its path. */
  readonly name: KeyValue
  /** Its representation; undefined for a deleted object. */
  readonly json?: string
}

async function createWriter(bound: BoundResource, request: HandlerContext): Promise<RowWriter> {
  const filters = await readFilters(bound, request)
  return { bound, request, statements: bound.many, filters, related: await bound.related.readValues(request) }
}

const shareChecks = ({ bound, request, related }: RowWriter, rows: RequestRows) => ({
  request,
  related,
  connection: bound.database,
  gather: createGather(),
  rows,
})

function countItems(bound: BoundResource, request: HandlerContext, items: readonly unknown[]): RequestRows {
  const rows = startRows(bound, request)
  rows.add(items.length)
  return rows
}

/** Creates an object from each item. */
export async function createAll(
  bound: BoundResource,
  request: HandlerContext,
  items: readonly unknown[],
  readUrlColumns: ReadUrlColumns,
): Promise<readonly Written[]> {
  const { database, validate } = bound
  const writer = await createWriter(bound, request)
  return retryLostRaces(async ({ isolated }) => {
    const options = { isolated, rows: countItems(bound, request, items) }
    const columns = await readUrlColumns(database)
    const readBody = validate.create({
      ...shareChecks(writer, options.rows),
      partial: false,
      urlValues: toUrlValues(bound, columns),
    })
    const rows = takeResults(
      await settleEach(items, data => readRow(bound, request, readBody, { data, loaded: undefined })),
    )
    checkRepeated(bound, rows)
    const placed = placeRows(rows, columns)
    const given = { ...options, shown: createRepresentationValues(writer, 'create', request) }
    const inserted = await insertAlone(writer, placed, given)
    if (inserted !== undefined) return serialize(writer, 'create', inserted as readonly ShownRow[], request)
    return database.transaction(
      async connection =>
        showInserted(writer, connection, await insertRows(writer, connection, placed, given), request),
      listOptions(bound, rows, options.rows),
    )
  })
}

/** Changes the object that each item names. */
export async function updateAll(
  bound: BoundResource,
  request: HandlerContext,
  items: readonly NamedItem[],
  { partial }: { readonly partial: boolean },
): Promise<readonly Written[]> {
  const { database, validate } = bound
  const writer = await createWriter(bound, request)
  return retryLostRaces(async ({ isolated }) => {
    const options = { isolated, rows: countItems(bound, request, items) }
    const found = await loadAll(writer, request, 'update', items)
    const replaced = new Set(found.flatMap(object => ('key' in object ? object.key : [])))
    const readBody = validate.update({ ...shareChecks(writer, options.rows), partial, replaced })
    const rows = takeResults(
      await settleEach(items, ({ data }, index) =>
        readFound(found[index]!, loaded => readRow(bound, request, readBody, { data, loaded })),
      ),
    )
    checkRepeated(bound, rows)
    const objects = rows.map(({ loaded }) => loaded!)
    return database.transaction(
      async connection => {
        await lockRows(writer, connection, 'update', objects)
        await updateRows(writer, connection, placeRows(rows, {}), options)
        return readWritten(writer, connection, { action: 'update', keys: objects.map(({ key }) => key), request })
      },
      listOptions(bound, rows, options.rows),
    )
  })
}

/** Deletes the object that each item names. */
export async function destroyAll(
  bound: BoundResource,
  request: HandlerContext,
  items: readonly NamedItem[],
): Promise<readonly Written[]> {
  const writer = await createWriter(bound, request)
  return retryLostRaces(async ({ isolated }) => {
    const options = { isolated, rows: countItems(bound, request, items) }
    const found = await loadAll(writer, request, 'destroy', items)
    const objects = takeResults(await settleEach(items, (_, index) => readFound(found[index]!, object => object)))
    await bound.database.transaction(
      async connection => {
        await lockRows(writer, connection, 'destroy', objects)
        await removeRows(writer, connection, placeObjects(objects), options)
      },
      listOptions(bound, [], options.rows),
    )
    return objects.map(({ key }, index) => ({ key, name: items[index]!.name! }))
  })
}

/** Prepares to lock the objects that the items name; the returned function locks them with the connection of a transaction. */
export async function prepareLock(
  bound: BoundResource,
  request: HandlerContext,
  action: 'update' | 'destroy',
  items: readonly NamedItem[],
): Promise<(connection: Connection) => Promise<void>> {
  const { lockNamed, formatNames } = bound.many
  const keys = formatNames(items.flatMap(({ name }) => name ?? []))
  const filterValues = await readFilterValues(bound.plans[action].filter, request)
  return async connection => void (await connection.run(lockNamed[action], { ...filterValues, keys }))
}

const listOptions = (bound: BoundResource, rows: readonly ReadRow[], counted: RequestRows): TransactionOptions =>
  createTransactionOptions(
    bound,
    rows.flatMap(({ children }) => children),
    counted,
  )

type Found = LoadedObject | { readonly error: APIException }

// The objects of the items, each with its permissions checked, or the error of the item.
async function loadAll(
  { bound, statements, filters }: RowWriter,
  request: HandlerContext,
  action: 'update' | 'destroy',
  items: readonly NamedItem[],
): Promise<readonly Found[]> {
  const names = items.flatMap(({ name }) => name ?? [])
  const values = { ...filters[action], keys: statements.formatNames(names) }
  const rows = await bound.database.run(statements.loadNamed[action], values)
  const byName = new Map(rows.map(row => [row[2], row]))
  return Promise.all(
    items.map(async ({ name, error, field }) => {
      if (name === undefined) return { error: error! }
      const row = byName.get(name)
      if (row === undefined)
        return { error: new ValidationError({ [field]: invalid('does_not_exist', { value: name }).errors }) }
      const [key, snapshot] = row
      const { object, values: stored } = parseSnapshot(snapshot)
      try {
        await checkObjectPermissions(request, bound.plans[action].permissions, object)
      } catch (refusal) {
        if (isItemError(refusal)) return { error: refusal }
        throw refusal
      }
      return { key, snapshot, values: stored }
    }),
  )
}

function readFound<Result>(found: Found, read: (object: LoadedObject) => Result): Result {
  if ('error' in found) throw found.error
  return read(found)
}

function takeResults<Result>(settled: Settled<Result>): readonly Result[] {
  if ('errors' in settled) throw new ItemErrors(settled.errors)
  return settled.results
}

function checkRepeated({ resource }: BoundResource, rows: readonly ReadRow[]): void {
  const repeated = findRepeated(resource, rows)
  if (repeated !== undefined) throw createItemError(rows.length, repeated.index, repeated.error)
}

const placeRows = (rows: readonly ReadRow[], columns: Columns): readonly RowToWrite[] =>
  rows.map((row, index) => ({ row, columns, place: createPlace(rows.length, index) }))

const placeObjects = (objects: readonly LoadedObject[]): readonly RowToRemove[] =>
  objects.map((object, index) => ({ object, place: createPlace(objects.length, index) }))

const createPlace =
  (count: number, index: number): Place =>
  error =>
    isItemError(error) ? createItemError(count, index, error) : error

const createItemError = (count: number, at: number, error: APIException): ItemErrors =>
  new ItemErrors(Array.from({ length: count }, (_, index) => (index === at ? error : undefined)))

function createRepresentationValues(
  { bound, related }: RowWriter,
  action: 'create' | 'update',
  request: HandlerContext,
): Arguments {
  return { ...related, ...bound.plans[action].readRequestValues(request), base: request.baseUrl }
}

async function showInserted(
  writer: RowWriter,
  connection: Connection,
  rows: readonly InsertedRow[],
  request: HandlerContext,
): Promise<readonly Written[]> {
  const keys = rows.map(([key]) => key)
  if (rows.some(([, json]) => json === undefined))
    return readWritten(writer, connection, { action: 'create', keys, request })
  return serialize(writer, 'create', rows as readonly ShownRow[], request)
}

interface WrittenKeys {
  readonly action: 'create' | 'update'
  readonly keys: readonly KeyValue[]
  readonly request: HandlerContext
}

// The representations, in the order of the keys.
async function readWritten(
  writer: RowWriter,
  connection: Connection,
  { action, keys, request }: WrittenKeys,
): Promise<readonly Written[]> {
  const { statements } = writer
  const values = createRepresentationValues(writer, action, request)
  const rows = await runPortions(keys, portion =>
    connection.run(statements.written[action], { ...values, keys: statements.formatKeys(portion) }),
  )
  const byKey = new Map(rows.map(row => [row[0], row]))
  return serialize(
    writer,
    action,
    keys.map(key => byKey.get(key)!),
    request,
  )
}

type ShownRow = readonly [key: KeyValue, json: string, name?: KeyValue]

async function serialize(
  { bound }: RowWriter,
  action: 'create' | 'update',
  rows: readonly ShownRow[],
  request: HandlerContext,
): Promise<readonly Written[]> {
  const { serializer } = bound.plans[action]
  if (serializer === keepStoredJson) return rows.map(([key, json, name = key]) => ({ key, name, json }))
  const texts = await serializer.serializeAll(
    rows.map(([, json]) => json),
    request,
  )
  return rows.map(([key, , name = key], index) => ({ key, name, json: texts[index]! }))
}
