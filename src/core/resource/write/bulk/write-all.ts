// Writes all items of a request, or none: they are read at the same time and written in one transaction. Rejects with
// ItemErrors.

import { createGather } from '../../../base/gather.ts'
import type { Connection } from '../../../database/database.ts'
import { type APIException, ItemErrors, ValidationError } from '../../../errors/exceptions.ts'
import { invalid } from '../../../errors/invalid.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { toRowName } from '../../../keys/key.ts'
import { checkObjectPermissions } from '../../../policy/permissions/permission.ts'
import { readFilterValues } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ReadUrlColumns } from '../../bind/resource-location.ts'
import type { Columns } from '../../declare/hooks.ts'
import { countRows, type RequestRows } from '../../declare/request-rows.ts'
import type { Place } from '../../validate/children.ts'
import { settleFiles } from '../file-writes.ts'
import { findRepeated } from '../rows/find-repeated.ts'
import { insertAll } from '../rows/insert-rows.ts'
import { findGroupSize, type LoadedObject, type ReadRow, readRow } from '../rows/read-row.ts'
import { type RowToRemove, removeRows } from '../rows/remove-rows.ts'
import {
  createWriter,
  lockRows,
  type RowToWrite,
  type RowWriter,
  readFilters,
  readRows,
  serializeRows,
  toFileChange,
  toUrlValues,
  type Written,
} from '../rows/row-writer.ts'
import { isItemError, type Settled, settleEach } from '../rows/settle-each.ts'
import { updateRows } from '../rows/update-rows.ts'
import { createTransactionOptions, parseSnapshot, retryLostRaces } from '../write.ts'
import type { NamedItem } from './named-items.ts'

async function createItemWriter(bound: BoundResource, request: HandlerContext): Promise<RowWriter> {
  const filters = await readFilters(bound, request)
  return createWriter(bound, request, { filters, related: await bound.related.readValues(request) })
}

const shareChecks = ({ bound, request, related }: RowWriter, rows: RequestRows) => ({
  request,
  related,
  connection: bound.database,
  gather: createGather(),
  rows,
})

/** Creates an object from each item. */
export async function createAll(
  bound: BoundResource,
  request: HandlerContext,
  items: readonly unknown[],
  readUrlColumns: ReadUrlColumns,
): Promise<readonly Written[]> {
  const { database, validate } = bound
  const writer = await createItemWriter(bound, request)
  const inserted = await retryLostRaces(async ({ isolated }) => {
    const options = { isolated, rows: countRows(bound, request, items.length) }
    const columns = await readUrlColumns(database)
    const readBody = validate.create({
      ...shareChecks(writer, options.rows),
      partial: false,
      urlValues: toUrlValues(bound, columns),
    })
    const rows = takeResults(
      await settleEach(items, data => readRow(bound, request, readBody, { body: { kind: 'data', data } })),
    )
    checkRepeated(bound, rows)
    return insertAll(writer, placeRows(rows, columns), options)
  })
  return serializeRows(writer, 'create', inserted)
}

/** `skipsMissing`: items whose objects do not exist are left out. */
export interface UpdateOptions {
  readonly partial: boolean
  readonly skipsMissing?: boolean
}

/** Changes the object that each item names. */
export async function updateAll(
  bound: BoundResource,
  request: HandlerContext,
  given: readonly NamedItem[],
  { partial, skipsMissing = false }: UpdateOptions,
): Promise<readonly Written[]> {
  const { database, validate } = bound
  const writer = await createItemWriter(bound, request)
  const updated = await retryLostRaces(async ({ isolated }) => {
    const { items, found } = await loadAll(writer, request, 'update', given, skipsMissing)
    const options = { isolated, rows: countRows(bound, request, items.length) }
    const replaced = new Set(found.flatMap(object => ('key' in object ? object.key : [])))
    const readBody = validate.update({ ...shareChecks(writer, options.rows), partial, replaced })
    const rows = takeResults(
      await settleEach(
        items,
        ({ data }, index) =>
          readFound(found[index]!, loaded =>
            readRow(bound, request, readBody, { body: { kind: 'data', data }, loaded }),
          ),
        { groupSize: findGroupSize(bound, 'update') },
      ),
    )
    checkRepeated(bound, rows)
    const objects = rows.map(({ loaded }) => loaded!)
    const placed = placeRows(rows, {})
    const shown = await database.transaction(
      async connection => {
        await lockRows(writer, connection, 'update', objects)
        await updateRows(writer, connection, placed, options)
        const keys = objects.map(({ key }) => key)
        return readRows(writer, connection, 'update', keys)
      },
      createTransactionOptions(
        bound,
        rows.flatMap(({ children }) => children),
        options.rows,
      ),
    )
    await settleFiles(bound, request, placed.map(toFileChange))
    return shown
  })
  return serializeRows(writer, 'update', updated)
}

/** Deletes the object that each item names. */
export async function destroyAll(
  bound: BoundResource,
  request: HandlerContext,
  given: readonly NamedItem[],
  skipsMissing = false,
): Promise<readonly Written[]> {
  const writer = await createItemWriter(bound, request)
  return retryLostRaces(async ({ isolated }) => {
    const { items, found } = await loadAll(writer, request, 'destroy', given, skipsMissing)
    const options = { isolated, rows: countRows(bound, request, items.length) }
    const objects = takeResults(await settleEach(items, (_, index) => readFound(found[index]!, object => object)))
    await bound.database.transaction(
      async connection => {
        await lockRows(writer, connection, 'destroy', objects)
        await removeRows(writer, connection, placeObjects(objects), options)
      },
      createTransactionOptions(bound, [], options.rows),
    )
    await settleFiles(
      bound,
      request,
      objects.map(({ values }) => ({ before: values })),
    )
    return objects.map(({ key }, index) => ({ key, name: toRowName(bound.identifier, items[index]!.name!) }))
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

type Found = LoadedObject | { readonly error: APIException }

/** The items, without those of missing objects if they are skipped, and the object of each with its permissions checked, or its error. */
async function loadAll(
  { bound, statements, filters }: RowWriter,
  request: HandlerContext,
  action: 'update' | 'destroy',
  given: readonly NamedItem[],
  skipsMissing: boolean,
): Promise<{ readonly items: readonly NamedItem[]; readonly found: readonly Found[] }> {
  const names = given.flatMap(({ name }) => name ?? [])
  const values = { ...filters[action], keys: statements.formatNames(names) }
  const rows = await bound.database.run(statements.loadNamed[action], values)
  const byName = new Map(rows.map(row => [row[2], row]))
  const items = given.filter(
    ({ name }) => !skipsMissing || name === undefined || byName.has(toRowName(bound.identifier, name)),
  )
  const found = takeResults(
    await settleEach(items, async ({ name, error, field }): Promise<Found> => {
      if (name === undefined) return { error: error! }
      const row = byName.get(toRowName(bound.identifier, name))
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
  return { items, found }
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
