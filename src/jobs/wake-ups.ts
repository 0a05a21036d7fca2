export interface WakeUps {
  readonly wake: () => void
  /** Resolves at the next wake-up, also one that came since the last wait, or after this time. */
  readonly wait: (milliseconds: number) => Promise<void>
}

/** Lets a loop wait until there is something to do. */
export function createWakeUps(): WakeUps {
  let isAwake = false
  let resolveWait: (() => void) | undefined
  return {
    wake() {
      isAwake = true
      resolveWait?.()
    },
    async wait(milliseconds) {
      const { promise, resolve } = Promise.withResolvers<void>()
      resolveWait = resolve
      if (!isAwake) {
        const timer = setTimeout(resolve, milliseconds)
        await promise
        clearTimeout(timer)
      }
      isAwake = false
      resolveWait = undefined
    },
  }
}
