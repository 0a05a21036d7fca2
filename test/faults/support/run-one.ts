// The process of one fault: runs the file that is its argument, and sends the finding to the parent process.

import { pathToFileURL } from 'node:url'
import { type Fault, Skip } from '../fault.ts'
import { formatDelay, watchMachine } from './machine.ts'
import type { Message } from './report.ts'
import { formatLastOutput } from './service.ts'

const send = (message: Message): Promise<void> => new Promise(resolve => process.send!(message, () => resolve()))

async function runFault({ run, scale }: Fault, isShort: boolean): Promise<Message> {
  try {
    const finding = await run(isShort ? scale.short : scale.full)
    return { result: 'held', finding: `${finding}; ${formatDelay()}` }
  } catch (error) {
    if (error instanceof Skip) return { result: 'skipped', finding: error.message }
    console.error(`${formatLastOutput()}\n---`, error)
    const reason = error instanceof Error ? error.message : String(error)
    return { result: 'broken', finding: `${reason}; ${formatDelay()}` }
  }
}

const [, , file, option] = process.argv
const { default: fault } = (await import(pathToFileURL(file!).href)) as { default: Fault }
await send({ fault: fault.name, promise: fault.promise })
await watchMachine()
await send(await runFault(fault, option === '--short'))
process.exit()
