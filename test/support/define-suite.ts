import { after, before, suite } from 'node:test'

/** Defines a suite whose tests share what `start` resolves to. The function that `define` gets works once the tests run. */
export function defineSuite<Shared extends { stop(): Promise<void> }>(
  name: string,
  start: () => Promise<Shared>,
  define: (findShared: () => Shared) => void,
): void {
  suite(name, () => {
    let shared: Shared | undefined
    before(async () => {
      shared = await start()
    })
    after(async () => {
      await shared?.stop()
      // The test runner keeps each suite until the last one has ended.
      shared = undefined
    })
    define(() => shared!)
  })
}
