// Starts a service whose clock the test controls.

import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { type FaultService, newFolder, type ServeOptions, startService } from './service.ts'
import { until } from './until.ts'

/** A service with a controllable clock. */
export interface ClockedService extends FaultService {
  /** Sets the clock this many milliseconds ahead of the machine's clock. */
  setClock(ahead: number): Promise<void>
}

export async function startWithClock(options: ServeOptions): Promise<ClockedService> {
  const file = `${await newFolder()}/clock`
  const service = await startService({
    ...options,
    environment: { ...options.environment, CLOCK_FILE: file },
    nodeArgs: ['--import', new URL('shifted-clock.ts', import.meta.url).href],
  })
  const isRead = `${file}-is-read`
  return {
    ...service,
    async setClock(ahead) {
      await rm(isRead, { force: true })
      await writeFile(file, String(ahead))
      service.signal('SIGUSR2')
      await until('the clock has jumped', () => existsSync(isRead), { pause: 5 })
    },
  }
}
