// Loaded into a service by `inside.ts`. At SIGUSR2 it collects garbage and prints the memory usage. Needs
// `--expose-gc`.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// The threads of the highlighter load this file too.
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  let number = 0
  process.on('SIGUSR2', () => {
    const [p99, max] = [delays.percentile(99) / 1e6, delays.max / 1e6]
    global.gc!()
    // The second collection frees objects that finalizers have released.
    setImmediate(() => {
      global.gc!()
      const { rss, heapUsed, external } = process.memoryUsage()
      process.stderr.write(`inside ${JSON.stringify({ number: ++number, rss, heapUsed, external, p99, max })}\n`)
      delays.reset()
    })
  })
}
