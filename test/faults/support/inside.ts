// A look into a service: what it holds after its garbage is collected, and how long its event loop was busy.

import { fileURLToPath } from 'node:url'
import type { Running } from './service.ts'
import { until } from './until.ts'

/** Node's arguments for a service that can be looked into. */
export const insideArgs: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./inside-preload.ts', import.meta.url)),
]

/** Memory in bytes, the delays of the event loop since the last look in milliseconds. */
export interface Inside {
  readonly number: number
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly p99: number
  readonly max: number
}

export async function lookInside(service: Running): Promise<Inside> {
  const looks = () =>
    [...service.output().matchAll(/^inside (\{.+\})$/gm)].map(([, json]) => JSON.parse(json!) as Inside)
  const before = looks().length
  service.signal('SIGUSR2')
  return until('the service says what it holds', () => looks()[before], { within: 30_000 })
}
