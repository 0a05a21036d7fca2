import type { Connection } from '../../database/database.ts'
import type { KeyedQueues } from '../../database/task-queue.ts'
import { enterDatabase, findTransaction, type Transaction } from '../../database/transaction.ts'
import type { KeyValue } from '../../keys/key.ts'
import { shareManyStatements } from '../sql/many.ts'
import type { BoundResource } from './bound-resource.ts'

/** The resource as code inside a transaction uses it. */
export function enterTransaction(bound: BoundResource, transaction: Transaction): BoundResource {
  const entered = { ...bound, database: enterDatabase(bound.database, transaction), writeQueues: runAtOnce }
  shareManyStatements(bound, entered)
  return entered
}

/** The resource inside the transaction of this connection. */
export const enterConnection = (bound: BoundResource, connection: Connection): BoundResource =>
  enterTransaction(bound, findTransaction(bound.database, connection)!)

// A transaction has locked what it has written, so its calls must not wait for the queues of other requests.
const runAtOnce: KeyedQueues<KeyValue> = (_key, task) => task()
