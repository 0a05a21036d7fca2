// Values that are here at once or come later. Where they are here, to wait would cost a promise and turns of its queue:
// most requests know their caller, and most refusals their answer, without asking anybody.

export type Soon<Value> = Value | Promise<Value>

/** What somebody else's code gave: a promise of another library or realm becomes one of ours. */
export const ours = <Value>(value: Soon<Value>): Soon<Value> =>
  value instanceof Promise || typeof (value as { readonly then?: unknown } | undefined)?.then !== 'function'
    ? value
    : Promise.resolve(value)

/** What `next` makes of the value, at once where the value is here. */
export const andThen = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** What `work` gives or, where it fails at once or later, what `recover` makes of the error. */
export function orElse<Value>(work: () => Soon<Value>, recover: (error: unknown) => Soon<Value>): Soon<Value> {
  try {
    const value = work()
    return value instanceof Promise ? value.then(undefined, recover) : value
  } catch (error) {
    return recover(error)
  }
}
