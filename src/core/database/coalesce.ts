/**
 * Coalesces calls: calls that arrive while `load` is running share the next run of `load`, which begins after them. So
 * no caller gets a result that was loaded before its call.
 */
export function shareNext<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const begin = (): Promise<Result> => {
    next = undefined
    const loading = load().finally(() => {
      if (running === loading) running = undefined
    })
    running = loading
    return loading
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}
