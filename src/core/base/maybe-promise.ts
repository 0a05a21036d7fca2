/**
 * A value, or a promise of it. Most phases of a request return without waiting; `await` on a value that is not a
 * promise would still cost a turn of the microtask queue.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/**
 * Whether a value that code of the application returns must be awaited. Promises of other libraries and realms count too; for those of
 * our own functions, `instanceof Promise` suffices.
 */
export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  // Fast path: finding out that a string has no method `then` takes longer.
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  (value instanceof Promise || typeof (value as { readonly then?: unknown }).then === 'function')
