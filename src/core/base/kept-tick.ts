// Keeps `process.nextTick` fast, which runs twice for each response (decision 087). It creates an object with computed names.
// V8 compiles that well only as long as it knows the hidden class of such objects, which it forgets if a garbage collection finds none
// of them: from then on, the process adds each name with a call of the runtime.

import { executionAsyncResource } from 'node:async_hooks'

let kept: object | undefined

/** Keeps the object of one tick until the process ends. */
export function keepTick(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
