// Reads several bodies of one resource at the same time. Their checks run together (`Gather`), and the error of each is at
// its index.

import type { HandlerContext } from '../../context.ts'
import { APIException, ValidationError } from '../../errors/exceptions.ts'
import type { Values } from '../../fields/declared-fields.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { KeyValue } from '../../keys/key.ts'
import { isPromise, type MaybePromise } from '../../maybe-promise.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { BoundResource } from '../bound-resource.ts'
import { type Columns, hasHooks, type SaveContext } from '../hooks.ts'
import type { Resource } from '../resource.ts'
import { createSaveContext, prepareColumns } from '../run-hooks.ts'
import { toStoredValue } from '../storage.ts'
import type { ReadBody, ReadValues } from '../validation.ts'

/** An object as it was loaded before a write. */
export interface LoadedObject {
  readonly key: KeyValue
  readonly snapshot: string
  readonly values: Values
}

/** A valid body of a new object, or of one that changes. */
export interface ReadRow extends ReadValues {
  /** Undefined for a new object. */
  readonly loaded: LoadedObject | undefined
  /** The columns that `prepare` returned. */
  readonly prepared: Columns
  /** The argument of the hooks; undefined if there are none. */
  readonly context: SaveContext | undefined
}

/** The same request with another body. */
export const withData = (request: HandlerContext, data: unknown): HandlerContext => ({
  ...request,
  requestBody: { kind: 'data', data },
})

/** Reads one body, and runs `validate` and `prepare`; throws or rejects with ValidationError. */
export function readRow(
  bound: BoundResource,
  request: HandlerContext,
  readBody: ReadBody,
  { data, loaded }: { readonly data: unknown; readonly loaded: LoadedObject | undefined },
): MaybePromise<ReadRow> {
  const [id, existing] = loaded === undefined ? [undefined, noValues] : [loaded.key, loaded.values]
  const reading = readBody({ body: { kind: 'data', data }, id, existing })
  if (!isPromise(reading) && !hasHooks(bound.resource, id === undefined ? 'create' : 'update'))
    return createRow(reading, loaded)
  return prepareRow(bound, request, loaded, reading)
}

const noValues: Values = Object.freeze({})
const noColumns: Columns = Object.freeze({})

async function prepareRow(
  bound: BoundResource,
  request: HandlerContext,
  loaded: LoadedObject | undefined,
  reading: MaybePromise<ReadValues>,
): Promise<ReadRow> {
  const read = await reading
  const context = createSaveContext(bound, request, { id: loaded?.key, existing: loaded?.values ?? noValues, ...read })
  return createRow(read, loaded, context, await prepareColumns(bound, context))
}

const createRow = (
  { values, given, children }: ReadValues,
  loaded: LoadedObject | undefined,
  context?: SaveContext,
  prepared: Columns = noColumns,
): ReadRow => ({ values, given, children, loaded, context, prepared })

/** The results of items, or the errors of some of them, in their order. */
export type Settled<Result> =
  | { readonly results: readonly Result[] }
  | { readonly errors: readonly (APIException | undefined)[] }

/** Reads all items at the same time. Rejects with an error that is not the fault of an item. */
export async function settleEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => MaybePromise<Result>,
): Promise<Settled<Result>> {
  const reading = items.map((item, index) => settle(read, item, index))
  const outcomes = reading.some(isPromise) ? await Promise.all(reading) : (reading as Outcome<Result>[])
  if (outcomes.some(outcome => 'error' in outcome)) return { errors: outcomes.map(takeItemError) }
  return { results: outcomes.map(outcome => (outcome as { readonly result: Result }).result) }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

function settle<Item, Result>(
  read: (item: Item, index: number) => MaybePromise<Result>,
  item: Item,
  index: number,
): MaybePromise<Outcome<Result>> {
  try {
    const reading = read(item, index)
    return isPromise(reading) ? settleLater(reading) : { result: reading }
  } catch (error) {
    return { error }
  }
}

const settleLater = <Result>(reading: Promise<Result>): Promise<Outcome<Result>> =>
  reading.then(
    result => ({ result }),
    error => ({ error }),
  )

function takeItemError(outcome: Outcome<unknown>): APIException | undefined {
  if (!('error' in outcome)) return undefined
  if (isItemError(outcome.error)) return outcome.error
  throw outcome.error
}

/** Whether the error says what is wrong with one item. */
export const isItemError = (error: unknown): error is APIException =>
  error instanceof APIException && error.status < 500

/** The same; rejects with one ValidationError with a list, in which valid items have no errors. */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => MaybePromise<Result>,
): Promise<readonly Result[]> {
  const settled = await settleEach(items, read)
  if ('results' in settled) return settled.results
  const refusal = settled.errors.find(error => error !== undefined && !(error instanceof ValidationError))
  if (refusal !== undefined) throw refusal
  throw new ValidationError(settled.errors.map(error => error?.errors ?? {}))
}

/** The errors of a list in which one item has an error. */
export const placeError = (count: number, index: number, error: ValidationError): ValidationError =>
  new ValidationError(Array.from({ length: count }, (_, at) => (at === index ? error.errors : {})))

/** The first row that has the unique values of an earlier one, and its error; undefined if there is none. */
export function findRepeated(
  { fields, uniqueTogether }: Resource,
  rows: readonly ReadRow[],
): { readonly index: number; readonly error: ValidationError } | undefined {
  const sets = [
    ...Object.keys(fields)
      .filter(name => fields[name]!.unique !== undefined && !fields[name]!.readOnly)
      .map(name => [name]),
    ...uniqueTogether,
  ]
  for (const names of sets) {
    const taken = new Set<string>()
    for (const [index, row] of rows.entries()) {
      const text = formatValues(fields, names, { ...row.loaded?.values, ...row.values })
      if (text === undefined) continue
      if (taken.has(text)) return { index, error: createUniqueError(fields, names) }
      taken.add(text)
    }
  }
  return undefined
}

// Undefined if the values are unique anyway, or unchanged. The key of a new parent, which is the same for all rows, is there as
// undefined.
function formatValues(fields: Resource['fields'], names: readonly string[], values: Values): string | undefined {
  const all = names.map(name => (values as Readonly<Record<string, unknown>>)[name])
  if (names.some((name, index) => !Object.hasOwn(values, name) || all[index] === null)) return undefined
  return JSON.stringify(all.map((value, index) => value !== undefined && toStoredValue(fields[names[index]!]!, value)))
}

function createUniqueError(fields: Resource['fields'], names: readonly string[]): ValidationError {
  const wireNames = names.map(name => nameOnWire(name, fields[name]!))
  if (names.length > 1) return new ValidationError(frameworkMessages('unique.set', { fields: wireNames.join(', ') }))
  return new ValidationError({ [wireNames[0]!]: [fields[names[0]!]!.unique!] }, 'unique')
}
