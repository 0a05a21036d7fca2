// Reads several bodies of one resource at the same time. Their checks run together (`Gather`), and the error of each is at
// its index.

import type { HandlerContext } from '../../context.ts'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { KeyValue } from '../../keys/key.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { Values } from '../declared-fields.ts'
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
  { loaded, ...given }: Omit<Validation, 'id' | 'existing'> & { readonly loaded: LoadedObject | undefined },
): Promise<ReadRow> {
  const target = { id: loaded?.key, existing: loaded?.values ?? {} }
  const read = await validate({ ...given, ...target })
  const context = createSaveContext(bound, given.request, { ...target, ...read })
  return { ...read, loaded, context, prepared: await prepareColumns(bound, context) }
}

/** Reads all items at the same time; rejects with one ValidationError with a list, in which valid items have no errors. */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(items.map(read))
  const errors: ErrorTree<ErrorDetail>[] = []
  const results: Result[] = []
  for (const [index, result] of settled.entries()) {
    if (result.status === 'fulfilled') results.push(result.value)
    else if (result.reason instanceof ValidationError) errors[index] = result.reason.errors
    else throw result.reason
  }
  if (errors.length > 0) throw new ValidationError(items.map((_, index) => errors[index] ?? {}))
  return results
}

/** The errors of a list in which one item has an error. */
export const placeError = (count: number, index: number, error: ValidationError): ValidationError =>
  new ValidationError(Array.from({ length: count }, (_, at) => (at === index ? error.errors : {})))

/** Checks that the rows differ in their unique values; throws a ValidationError with a list of `count` items. */
export function checkDistinct(
  { fields, uniqueTogether }: Resource,
  rows: readonly { readonly index: number; readonly row: ReadRow }[],
  count: number,
): void {
  const sets = [
    ...Object.keys(fields)
      .filter(name => fields[name]!.unique !== undefined && !fields[name]!.readOnly)
      .map(name => [name]),
    ...uniqueTogether,
  ]
  for (const names of sets) {
    const taken = new Set<string>()
    for (const { index, row } of rows) {
      const text = formatValues(fields, names, { ...row.loaded?.values, ...row.values })
      if (text === undefined) continue
      if (taken.has(text)) throw placeError(count, index, createUniqueError(fields, names))
      taken.add(text)
    }
  }
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
