// The process of one fault: runs the file that is its argument, and sends the finding to the parent process.

import { pathToFileURL } from 'node:url'
import { type Fault, Skip } from '../fault.ts'
import type { Message } from './report.ts'
import { formatLastOutput } from './service.ts'

const defaultDeadline = 300

const send = (message: Message): Promise<void> => new Promise(resolve => process.send!(message, () => resolve()))

async function runFault(fault: Fault): Promise<Message> {
  try {
    return { result: 'held', finding: await fault.run() }
  } catch (error) {
    if (error instanceof Skip) return { result: 'skipped', finding: error.message }
    console.error(`${formatLastOutput()}\n---`, error)
    return { result: 'broken', finding: error instanceof Error ? error.message : String(error) }
  }
}

const module = (await import(pathToFileURL(process.argv[2]!).href)) as { default: Fault; deadline?: number }
const { name, promise } = module.default
await send({ fault: name, promise, deadline: module.deadline ?? defaultDeadline })
await send(await runFault(module.default))
process.exit()
