import { constants, setPriority } from 'node:os'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { SnippetSource } from './document.ts'
import { renderSnippet } from './render.ts'

// The worker of `thread.ts`: posts `ready`, then posts the page of each snippet that it receives.
const port = parentPort as MessagePort
// Lets requests run first. Linux changes the priority of this thread only; other systems, that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
port.on('message', async (snippet: SnippetSource) => port.postMessage(await renderSnippet(snippet)))
port.postMessage('ready')
