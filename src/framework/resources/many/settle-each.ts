// Runs a function for all items at the same time, and collects the error of each at its index.

import { APIException, ValidationError } from '../../errors/exceptions.ts'
import { isPromise, type MaybePromise } from '../../maybe-promise.ts'

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

/**
 * Reads all items at the same time. Rejects with one ValidationError, whose list has the errors of each item, or `{}` for a valid
 * one; with the refusal of an item, if there is one.
 */
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
