// Measures what a service does beside requests, on both databases: `npm run bench:beside` runs the benchmarks of jobs and of open feeds one
// after the other, with its own options, such as `--quick`.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

for (const file of ['jobs.ts', 'feeds.ts']) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
