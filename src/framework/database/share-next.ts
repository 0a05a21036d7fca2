/**
 * Coalesces calls: those that arrive while `ask` is under way share the next one, which begins after all of them
 * arrived. So no caller gets an answer that was on its way before the call.
 */
export function shareNext<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const begin = (): Promise<Result> => {
    next = undefined
    const asked = ask().finally(() => {
      if (running === asked) running = undefined
    })
    running = asked
    return asked
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}
