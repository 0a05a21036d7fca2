// Runs a function for all items at the same time, and collects the error of each at its index. Many items share the event loop with
// other requests.

import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts'
import { timeSlices } from '../../../base/time-slices.ts'
import { APIException, TooManyRows, ValidationError } from '../../../errors/exceptions.ts'

/** How items are read. */
export interface GroupOptions {
  /** How many items begin to be read before the event loop may run. Default: 32. */
  readonly groupSize?: number
}

/** The results of items, or the errors of some of them, in their order. */
export type Settled<Result> =
  | { readonly results: readonly Result[] }
  | { readonly errors: readonly (APIException | undefined)[] }

/** Reads all items at the same time. Rejects with an error that is not the fault of an item. */
export async function settleEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => MaybePromise<Result>,
  { groupSize = 32 }: GroupOptions = {},
): Promise<Settled<Result>> {
  const outcomes: MaybePromise<Result | Failure>[] = []
  let isWaiting = false
  const hasMore = items.length > groupSize
  const starting = timeSlices.inGroups(items, groupSize, group => {
    for (const item of group) {
      const outcome = settle(read, item, outcomes.length)
      isWaiting ||= isPromise(outcome)
      outcomes.push(outcome)
    }
    // What these items do without waiting for others belongs to their slice.
    return isWaiting && hasMore ? new Promise(resolve => process.nextTick(resolve)) : undefined
  })
  if (isPromise(starting)) await starting
  const settled = isWaiting ? await Promise.all(outcomes) : (outcomes as (Result | Failure)[])
  if (settled.some(outcome => outcome instanceof Failure)) return { errors: settled.map(takeItemError) }
  return { results: settled as Result[] }
}

// Only failures are wrapped, because a request may have thousands of results.
class Failure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

function settle<Item, Result>(
  read: (item: Item, index: number) => MaybePromise<Result>,
  item: Item,
  index: number,
): MaybePromise<Result | Failure> {
  try {
    const reading = read(item, index)
    return isPromise(reading) ? reading.catch(createFailure) : reading
  } catch (error) {
    return createFailure(error)
  }
}

const createFailure = (error: unknown): Failure => new Failure(error)

function takeItemError(outcome: unknown): APIException | undefined {
  if (!(outcome instanceof Failure)) return undefined
  if (isItemError(outcome.error)) return outcome.error
  throw outcome.error
}

/** Whether the error says what is wrong with one item. Too many rows are the fault of all. */
export const isItemError = (error: unknown): error is APIException =>
  error instanceof APIException && error.status < 500 && !(error instanceof TooManyRows)

/**
 * Reads all items at the same time. Rejects with one ValidationError, whose list has the errors of each item, or `{}` for a valid
 * one; with the refusal of an item, if there is one.
 */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => MaybePromise<Result>,
  options: GroupOptions = {},
): Promise<readonly Result[]> {
  const settled = await settleEach(items, read, options)
  if ('results' in settled) return settled.results
  const refusal = settled.errors.find(error => error !== undefined && !(error instanceof ValidationError))
  if (refusal !== undefined) throw refusal
  throw new ValidationError(settled.errors.map(error => error?.errors ?? {}))
}

/** The errors of a list in which one item has an error. */
export const placeError = (count: number, index: number, error: ValidationError): ValidationError =>
  new ValidationError(Array.from({ length: count }, (_, at) => (at === index ? error.errors : {})))
