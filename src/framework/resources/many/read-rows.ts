// Reads several bodies of one resource at the same time. Their checks run together (`Gather`), and the error of each is at
// its index.

import type { HandlerContext } from '../../context.ts'
import { APIException, ValidationError } from '../../errors/exceptions.ts'
import type { Values } from '../../fields/declared-fields.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { KeyValue } from '../../keys/key.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { Columns, SaveContext } from '../hooks.ts'
import type { Resource } from '../resource.ts'
import { createSaveContext, prepareColumns } from '../run-hooks.ts'
import { toStoredValue } from '../storage.ts'
import type { ReadValues, Validation, Validator } from '../validation.ts'

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

/** Reads one body, and runs `validate` and `prepare`; rejects with ValidationError. */
export async function readRow(
  bound: BoundResource,
  validate: Validator,
  given: Omit<Validation, 'id' | 'existing'> & { readonly loaded: LoadedObject | undefined },
): Promise<ReadRow> {
  const { loaded, request } = given
  const [id, existing] = [loaded?.key, loaded?.values ?? {}]
  const { values, given: own, children } = await validate({ ...given, id, existing })
  const row = { values, given: own, children, loaded }
  const context = createSaveContext(bound, request, { id, existing, values, given: own, children })
  return { ...row, context, prepared: context === undefined ? {} : await prepareColumns(bound, context) }
}

/** The results of items, or the errors of some of them, in their order. */
export type Settled<Result> =
  | { readonly results: readonly Result[] }
  | { readonly errors: readonly (APIException | undefined)[] }

/** Reads all items at the same time. Rejects with an error that is not the fault of an item. */
export async function settleEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => Promise<Result>,
): Promise<Settled<Result>> {
  const settled = await Promise.allSettled(items.map(read))
  const results = settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  if (results.length === items.length) return { results }
  const errors = settled.map(result => {
    if (result.status === 'fulfilled') return undefined
    if (isItemError(result.reason)) return result.reason
    throw result.reason
  })
  return { errors }
}

/** Whether the error says what is wrong with one item. */
export const isItemError = (error: unknown): error is APIException =>
  error instanceof APIException && error.status < 500

/** The same; rejects with one ValidationError with a list, in which valid items have no errors. */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => Promise<Result>,
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
