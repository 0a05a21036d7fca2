// The transactions that the current code runs in. A called action joins the transaction of the calling code as a
// savepoint, so each call is all or nothing (decision 055). Nothing may run in a transaction that is over: on SQLite, the
// statement would otherwise be part of the next transaction, which belongs to another request.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { Connection, Database, Statement } from './database.ts'
import { createTaskQueue, type TaskQueue, unlimitedWait } from './task-queue.ts'

/** A transaction, or a savepoint inside one. */
export interface Transaction {
  readonly connection: Connection
  isOpen(): boolean
  /** Runs a call in this transaction. The transaction fails if it ends before the call, which nothing awaits then. */
  track<Result>(name: string, call: () => Promise<Result>): Promise<Result>
  /** Calls `callback` after the commit; not at all if this transaction or an outer one is rolled back. */
  onCommit(callback: () => void): void
}

interface OpenTransaction extends Transaction {
  /** Identifies the database: replicated and wrapped databases share the catalogue of the original. */
  readonly catalogue: object
  /** The transaction that contains this savepoint. */
  readonly parent: OpenTransaction | undefined
  /** The transaction of the code that began this one; possibly of another database. */
  readonly outer: OpenTransaction | undefined
  readonly depth: number
  /** Savepoints are nested, so those of one transaction run one after the other. */
  savepoints(): TaskQueue
}

const current = new AsyncLocalStorage<OpenTransaction>()
const transactions = new WeakMap<Connection, OpenTransaction>()

/** Throws if the transaction is over. */
export type CheckOpen = () => void

/** A transaction that has begun. */
export interface BegunTransaction {
  readonly catalogue: object
  /** Creates the connection of the work. It must call `checkOpen` before each statement. */
  readonly createConnection: (checkOpen: CheckOpen) => Connection
  readonly commit: () => MaybePromise<void>
}

/** Runs `work` in a transaction, and commits. */
export async function runInside<Result>(
  { catalogue, createConnection, commit }: BegunTransaction,
  work: (connection: Connection) => MaybePromise<Result>,
): Promise<Result> {
  const callbacks: (() => void)[] = []
  const result = await enter({ catalogue, parent: undefined, createConnection, callbacks }, work)
  await commit()
  for (const callback of callbacks.splice(0)) callback()
  return result
}

/** The innermost open transaction of this database that the current code runs in. */
export function findCurrent(catalogue: object): Transaction | undefined {
  return findOuter(transaction => transaction.catalogue === catalogue)
}

/** Finds the database as the current code uses it: inside a transaction, that transaction. */
export const createConnectionFinder = (database: Database | undefined) => (): Database => {
  if (database === undefined) throw new Error('view.connection(): the API has no database: give createApi() one')
  const transaction = findCurrent(database.catalogue)
  return transaction === undefined ? database : enterDatabase(database, transaction)
}

function findOuter(matches: (transaction: OpenTransaction) => boolean): OpenTransaction | undefined {
  for (let found = current.getStore(); found !== undefined; found = found.outer)
    if (found.isOpen() && matches(found)) return found
  return undefined
}

/**
 * Finds the transaction in which a call runs: that of `connection`, or else that of the current code. Throws if the
 * transaction is over, or belongs to another database.
 */
export function findTransaction(database: Database, connection: Connection | undefined): Transaction | undefined {
  const innermost = findOuter(({ catalogue }) => catalogue === database.catalogue)
  const given = connection && transactions.get(connection)
  if (given === undefined) return innermost
  if (given.catalogue !== database.catalogue)
    throw new Error('the connection of the context belongs to another database: give a context without "connection"')
  if (!given.isOpen()) throw createOverError()
  return innermost !== undefined && isWithin(innermost, given) ? innermost : given
}

/** The database as code inside a transaction sees it: with its uncommitted rows, and with savepoints as transactions. */
export function enterDatabase(database: Database, transaction: Transaction): Database {
  const { version: _, ...shared } = database
  const { connection } = transaction
  const inner: Database = {
    ...shared,
    run: connection.run,
    first: connection.first,
    latest: connection.first,
    get kysely() {
      return connection.kysely
    },
    write: (statement, values) => runSavepoint(transaction, inside => inside.run(statement, values)),
    transaction: work => runSavepoint(transaction, work),
  }
  transactions.set(inner, transaction as OpenTransaction)
  return inner
}

function runSavepoint<Result>(
  transaction: Transaction,
  work: (connection: Connection) => MaybePromise<Result>,
): Promise<Result> {
  const parent = transaction as OpenTransaction
  const { connection, catalogue } = parent
  const createConnection = (checkOpen: CheckOpen) => guardConnection(connection, checkOpen, () => connection.kysely)
  const { begin, release, rollBack } = findSavepoint(parent.depth)
  return parent.savepoints().run(async () => {
    await connection.run(begin, {})
    try {
      const callbacks: (() => void)[] = []
      const result = await enter({ catalogue, parent, createConnection, callbacks }, work)
      await connection.run(release, {})
      for (const callback of callbacks.splice(0)) parent.onCommit(callback)
      return result
    } catch (error) {
      await undo(connection, [rollBack, release])
      throw error
    }
  })
}

// If this fails, the connection is lost or the transaction has been rolled back: the caller gets the first error.
async function undo(connection: Connection, statements: readonly Statement[]): Promise<void> {
  try {
    for (const statement of statements) await connection.run(statement, {})
  } catch {
    // The transaction cannot be committed either.
  }
}

interface Savepoint {
  readonly begin: Statement
  readonly release: Statement
  readonly rollBack: Statement
}

const savepointsByDepth: Savepoint[] = []

function findSavepoint(depth: number): Savepoint {
  const create = (text: string): Statement => ({ sql: `${text} call_${depth}`, parameters: [] })
  savepointsByDepth[depth] ??= {
    begin: create('savepoint'),
    release: create('release savepoint'),
    rollBack: create('rollback to savepoint'),
  }
  return savepointsByDepth[depth]
}

/** The connection with a check before each statement. A query builder that outlives the transaction checks it itself. */
export const guardConnection = (
  connection: Connection,
  checkOpen: CheckOpen,
  findKysely: () => Connection['kysely'],
): Connection => ({
  run(statement, values) {
    checkOpen()
    return connection.run(statement, values)
  },
  first(statement, values) {
    checkOpen()
    return connection.first(statement, values)
  },
  get kysely() {
    checkOpen()
    return findKysely()
  },
})

interface EnterOptions extends Pick<OpenTransaction, 'catalogue' | 'parent'> {
  readonly createConnection: (checkOpen: CheckOpen) => Connection
  /** Gets the callbacks of `onCommit`. */
  readonly callbacks: (() => void)[]
}

async function enter<Result>(
  options: EnterOptions,
  work: (connection: Connection) => MaybePromise<Result>,
): Promise<Result> {
  const { transaction, running, close } = createTransaction(options)
  try {
    const result = await current.run(transaction, () => work(transaction.connection))
    const [unfinished] = running
    if (unfinished === undefined) return result
    throw new Error(
      `${unfinished.name} was still running when its transaction ended, so the transaction was rolled back: await the call`,
    )
  } finally {
    close()
  }
}

// The closures of the transaction must not hold its work: V8 keeps the values of a WeakMap until the next collection of all
// garbage, and would copy the data of the whole request.
function createTransaction({ catalogue, parent, createConnection, callbacks }: EnterOptions) {
  let isOpen = true
  let savepoints: TaskQueue | undefined
  const running = new Set<{ readonly name: string }>()
  const connection = createConnection(() => {
    if (!isOpen) throw createOverError()
  })
  const transaction: OpenTransaction = {
    catalogue,
    connection,
    parent,
    outer: findOuter(() => true),
    depth: parent === undefined ? 0 : parent.depth + 1,
    savepoints() {
      savepoints ??= createTaskQueue(unlimitedWait)
      return savepoints
    },
    isOpen: () => isOpen,
    onCommit: callback => void callbacks.push(callback),
    track(name, call) {
      const entry = { name }
      running.add(entry)
      const result = call().finally(() => running.delete(entry))
      // If nothing awaits the call, the transaction reports it.
      result.catch(() => undefined)
      return result
    },
  }
  transactions.set(connection, transaction)
  const close = () => {
    isOpen = false
  }
  return { transaction, running, close }
}

function isWithin(transaction: OpenTransaction, ancestor: OpenTransaction): boolean {
  for (let found: OpenTransaction | undefined = transaction; found !== undefined; found = found.parent)
    if (found === ancestor) return true
  return false
}

const createOverError = (): Error =>
  new Error('the transaction is over: await every query and every call of a hook before the hook returns')
