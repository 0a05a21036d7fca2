// Loaded into a service before it starts (`--import`). It shifts `Date` by the milliseconds in the file CLOCK_FILE,
// which it reads at each SIGUSR2; then it creates the file `…-is-read`. The clock of the system and timers do not
// change.

import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const RealDate = Date
let ahead = 0

class ShiftedDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(RealDate.now() + ahead)
    else super(...(args as [number]))
  }

  static override now(): number {
    return RealDate.now() + ahead
  }
}

globalThis.Date = ShiftedDate as DateConstructor

if (isMainThread)
  process.on('SIGUSR2', () => {
    ahead = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8'))
    // Confirms with a file, because a test may break the outputs of the service.
    writeFileSync(`${process.env.CLOCK_FILE}-is-read`, '')
  })
