/** Runs tasks of one key one after the other: each begins when those before it have ended, however they ended. */
export type Turns<Key> = <Result>(key: Key, task: () => Promise<Result>) => Promise<Result>

export function createTurns<Key>(): Turns<Key> {
  const last = new Map<Key, Promise<unknown>>()
  return (key, task) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(task)
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === ended) last.delete(key)
      })
    last.set(key, ended)
    return turn
  }
}
