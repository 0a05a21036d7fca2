// A service whose clock a fault sets.

import { writeFile } from 'node:fs/promises'
import { type FaultService, newFolder, type ServeOptions, startService } from './service.ts'
import { until } from './until.ts'

/** A service with a clock of its own. */
export interface ClockedService extends FaultService {
  /** It is so many milliseconds ahead of the machine's from then on. */
  setClock(ahead: number): Promise<void>
}

export async function startWithClock(options: ServeOptions): Promise<ClockedService> {
  const file = `${await newFolder()}/clock`
  const service = await startService({
    ...options,
    environment: { ...options.environment, CLOCK_FILE: file },
    nodeArgs: ['--import', new URL('shifted-clock.ts', import.meta.url).href],
  })
  let jumps = 0
  return {
    ...service,
    async setClock(ahead) {
      jumps++
      await writeFile(file, String(ahead))
      service.signal('SIGUSR2')
      const told = () => service.output().split('the clock is ').length > jumps
      await until('the clock has jumped', told, { pause: 5 })
    },
  }
}
