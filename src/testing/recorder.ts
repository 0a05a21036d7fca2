// Records what happens while a test works, such as the SQL statements that run.

export interface Recorder<Item> {
  readonly add: (item: Item) => void
  /** Returns the items that are added until `work` ends, in their order, and the result of `work`. */
  record<Result>(work: () => Result | Promise<Result>): Promise<Recording<Item, Result>>
}

export interface Recording<Item, Result> {
  readonly items: readonly Item[]
  readonly result: Result
}

export function createRecorder<Item>(): Recorder<Item> {
  const recordings = new Set<Item[]>()
  return {
    add(item) {
      for (const items of recordings) items.push(item)
    },
    async record(work) {
      const items: Item[] = []
      recordings.add(items)
      try {
        const result = await work()
        return { items, result }
      } finally {
        recordings.delete(items)
      }
    },
  }
}
