// Values that are here at once or come later. Where they are here, to wait would cost a promise and turns of its queue:
// most requests know their caller, and most refusals their answer, without asking anybody.

export type MaybePromise<Value> = Value | Promise<Value>

/** What somebody else's code gave: a promise of another library or realm becomes one of ours. */
export const ours = <Value>(value: MaybePromise<Value>): MaybePromise<Value> =>
  value instanceof Promise || typeof (value as { readonly then?: unknown } | undefined)?.then !== 'function'
    ? value
    : Promise.resolve(value)

/** What `next` makes of the value, at once where the value is here. */
export const andThen = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value))

/** What `work` gives or, where it fails at once or later, what `recover` makes of the error. */
export function orElse<Value>(
  work: () => MaybePromise<Value>,
  recover: (error: unknown) => MaybePromise<Value>,
): MaybePromise<Value> {
  try {
    const value = work()
    return value instanceof Promise ? value.then(undefined, recover) : value
  } catch (error) {
    return recover(error)
  }
}
