// Reads the memory usage of a service after garbage collection, and the delays of its event loop.

import { fileURLToPath } from 'node:url'
import type { Running } from './service.ts'
import { until } from './until.ts'

/** Node arguments for a service, so that `readInside` works. */
export const insideArgs: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./inside-preload.ts', import.meta.url)),
]

/** Memory in bytes; delays of the event loop since the previous call in milliseconds. */
export interface Inside {
  readonly number: number
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly p99: number
  readonly max: number
}

export async function readInside(service: Running): Promise<Inside> {
  const looks = () =>
    [...service.output().matchAll(/^inside (\{.+\})$/gm)].map(([, json]) => JSON.parse(json!) as Inside)
  const before = looks().length
  service.signal('SIGUSR2')
  return until('the service prints its memory usage', () => looks()[before])
}
