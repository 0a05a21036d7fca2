// Loaded into a service by `inside.ts`: at SIGUSR2 it collects garbage and says what is left. Needs `--expose-gc`.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// The highlighter's threads load it too.
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  let number = 0
  process.on('SIGUSR2', () => {
    const [p99, max] = [delays.percentile(99) / 1e6, delays.max / 1e6]
    global.gc!()
    // What finalizers have let go of.
    setImmediate(() => {
      global.gc!()
      const { rss, heapUsed, external } = process.memoryUsage()
      process.stderr.write(`inside ${JSON.stringify({ number: ++number, rss, heapUsed, external, p99, max })}\n`)
      delays.reset()
    })
  })
}
