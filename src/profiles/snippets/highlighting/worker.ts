import { constants, setPriority } from 'node:os'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { SnippetSource } from './document.ts'
import { renderSnippet } from './render.ts'

/** The thread's side of `thread.ts`: says that it is ready, then answers each snippet with its page. */
const port = parentPort as MessagePort
// Requests come first. Only Linux gives a thread a priority of its own; elsewhere it is the whole process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
port.on('message', async (snippet: SnippetSource) => port.postMessage(await renderSnippet(snippet)))
port.postMessage('ready')
