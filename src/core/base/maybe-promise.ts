/**
 * A value, or a promise of it. Most phases of a request return without waiting; `await` on a value that is not a
 * promise would still cost a turn of the microtask queue.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Whether the value must be awaited. Promises of other libraries and realms count too. */
export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  // Fast path: finding out that a string has no method `then` takes longer.
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  (value instanceof Promise || typeof (value as { readonly then?: unknown }).then === 'function')
