// Checks of several bodies that are read at the same time run together: one statement instead of one per body.

/**
 * Runs a check for `item`, together with the items for which it is called before the event loop goes on. `check` identifies
 * what runs; `run` gets all items, and resolves to their results in the same order.
 */
export type Gather = <Item, Result>(
  check: object,
  item: Item,
  run: (items: readonly Item[]) => PromiseLike<readonly Result[]>,
) => Promise<Result>

interface Batch {
  readonly items: unknown[]
  readonly results: Promise<readonly unknown[]>
}

/** Creates the function for the bodies of one request. */
export function createGather(): Gather {
  const batches = new Map<object, Batch>()
  const begin = (check: object, run: (items: readonly never[]) => PromiseLike<readonly unknown[]>): Batch => {
    const items: unknown[] = []
    // The bodies that are read now reach the same check before this callback runs.
    const results = new Promise<void>(resolve => process.nextTick(resolve)).then(() => {
      batches.delete(check)
      return run(items as never[])
    })
    const batch = { items, results }
    batches.set(check, batch)
    return batch
  }
  return async <Item, Result>(
    check: object,
    item: Item,
    run: (items: readonly Item[]) => PromiseLike<readonly Result[]>,
  ): Promise<Result> => {
    const batch = batches.get(check) ?? begin(check, run)
    const index = batch.items.push(item) - 1
    return (await batch.results)[index] as Result
  }
}
