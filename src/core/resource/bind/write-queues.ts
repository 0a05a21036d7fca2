// Writes to the same object run one after the other in this process, so they race only against other processes.

import { AsyncLocalStorage } from 'node:async_hooks'
import { createKeyedQueues, type KeyedQueues } from '../../database/task-queue.ts'
import type { KeyValue } from '../../keys/key.ts'

const isInWrite = new AsyncLocalStorage<true>()

/**
 * Creates the queues of a resource's objects. A write that a hook of another write starts does not wait for its turn: two
 * writes could otherwise wait for each other, and a write of the hook's own object for itself.
 */
export function createWriteQueues(): KeyedQueues<KeyValue> {
  const runInTurn = createKeyedQueues<KeyValue>({ maxWaiting: 500, timeout: 5000 })
  return (key, task) => (isInWrite.getStore() ? task() : runInTurn(key, () => isInWrite.run(true, task)))
}
