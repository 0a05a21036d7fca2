// Loaded into a service before it starts (`--import`): its clock is as far ahead as the file says that CLOCK_FILE names,
// in milliseconds, read anew at each SIGUSR2; then a file `…-is-read` appears beside it. The system's clock stays as it is, and so do timers, which do not ask it.

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
    // Not on an output of the service: what it does with a broken one may be what is tested.
    writeFileSync(`${process.env.CLOCK_FILE}-is-read`, '')
  })
