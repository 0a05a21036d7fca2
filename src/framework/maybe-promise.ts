/**
 * A value, or a promise of it. Most phases of a request return without waiting; `await` on a value that is not a
 * promise would still cost a turn of the microtask queue.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Whether the value must be awaited. Promises of other libraries and realms count too. */
export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  value instanceof Promise || typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
