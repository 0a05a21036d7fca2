// The worker thread of `probe.ts`.

import { setTimeout as delay } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openClient } from './http.ts'
import { startStopwatch } from './machine.ts'
import type { ProbeOptions } from './probe.ts'

const { origin, paths, headers = {}, pause = 10, timeout } = workerData as ProbeOptions
const client = openClient(origin, { connections: 1, ...(timeout !== undefined && { timeout }) })
const port = parentPort as MessagePort
let seen = createEmpty()

function createEmpty() {
  return {
    times: [] as number[],
    judgedTimes: [] as number[],
    answers: {} as Record<string, number>,
    failures: [] as string[],
  }
}

async function probe(path: string, expected: readonly number[]): Promise<void> {
  const [start, passed] = [performance.now(), startStopwatch()]
  const status = await client.ask('GET', path, { headers }).then(
    answer => answer.status,
    (error: Error) => error.message,
  )
  seen.times.push(performance.now() - start)
  seen.judgedTimes.push(passed())
  const key = `${path} ${status}`
  seen.answers[key] = (seen.answers[key] ?? 0) + 1
  if (!expected.includes(status as number) && seen.failures.length < 10) seen.failures.push(key)
}

port.on('message', () => {
  port.postMessage(seen)
  seen = createEmpty()
})
// The first requests open the connection and warm up; their times are discarded.
for (const [path, expected] of Object.entries(paths)) await probe(path, expected)
seen = createEmpty()
port.postMessage('ready')
for (;;) {
  for (const [path, expected] of Object.entries(paths)) {
    await probe(path, expected)
    await delay(pause)
  }
}
