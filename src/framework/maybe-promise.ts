/**
 * A value, or a promise of it. Most requests know their caller, and most refusals their response, without waiting; an
 * `await` of a value that is there would still cost a turn of the microtask queue.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Must it be awaited? Promises of other libraries and realms count too. */
export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  value instanceof Promise || typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
