// Describe, compile once, execute: a query is described with Kysely, compiled to a statement when that is first run,
// and per request its text is only bound. What runs may fail, at once or later, with ConstraintViolation, or
// ServiceUnavailable where the database is busy or away.

import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { MaybePromise } from '../maybe-promise.ts'
import type { BrokenConstraint, Catalogue } from './catalogue.ts'
import type { Dialect } from './dialect.ts'

/** What can be bound to a parameter. Booleans are the database's own. */
export type SqlValue = string | number | boolean | null

/** Values by parameter name. */
export type Arguments = Readonly<Record<string, SqlValue>>

/** A compiled query. Its rows are arrays, in the order of the selected columns. */
export interface Statement<Row extends readonly unknown[] = readonly unknown[]> {
  readonly sql: string
  /** The value of each placeholder, or the parameter that brings it. */
  readonly parameters: readonly (Parameter | SqlValue)[]
  /** Types only: what a row holds. */
  readonly row?: Row
}

/** One connection, in or outside a transaction. */
export interface Connection {
  run<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<readonly Row[]>
  /** The first row; undefined where there is none. */
  first<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<Row | undefined>
  /** For hooks and for queries off the hot path: builds and runs on this connection. */
  // biome-ignore lint/suspicious/noExplicitAny: the tables are the application's
  readonly kysely: Kysely<any>
}

/**
 * A database of either kind. `run` and `first` are for reading, perhaps on a replica; what they see may be as old as the
 * event loop's turn.
 */
export interface Database extends Connection {
  readonly dialect: Dialect
  readonly catalogue: Catalogue
  /** As `first`, and of a state no older than the call: for what decides who the caller is. */
  latest<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<Row | undefined>
  /**
   * A value that is another one once something has been committed, by any process; reads of the same turn of the event
   * loop are of this version. Left out where asking for it would be a round trip.
   */
  readonly version?: () => unknown
  /** One writing statement, in a transaction of its own. */
  write<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): Promise<readonly Row[]>
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<Result>(
    work: (connection: Connection) => MaybePromise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** The connections at this moment, where there is a pool of them. */
  readonly pool?: () => PoolState
  close(): Promise<void>
}

export interface TransactionOptions {
  /** True: its statements may take as long as they need, as those of a migration do; default: false. */
  readonly unbounded?: boolean
}

/** How many connections there may be and are, and how many wait for one. */
export interface PoolState {
  readonly size: number
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

/** Called with the text of each statement that a database runs. */
export type StatementObserver = (sql: string) => void

/** A row breaks a constraint of the database: what the caller writes is at fault, or a race was lost. */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation'
  readonly broken: BrokenConstraint

  constructor(message: string, broken: BrokenConstraint, options?: ErrorOptions) {
    super(message, options)
    this.broken = broken
  }
}

/** Stands in a described query where a value will be bound by name. */
export class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A placeholder for the value named `name`. */
export const parameter = (name: string): RawBuilder<never> => sql`${new Parameter(name)}`

type Query = Compilable | RawBuilder<unknown>

/** A statement of a described query: it is described, where that is a function, and compiled when it is first run. */
export const compile = <Row extends readonly unknown[]>(
  database: Connection,
  query: Query | (() => Query),
): Statement<Row> => new DescribedStatement(database, query)

// A class, so that all statements are alike to the engine: what runs them is the hottest code there is.
class DescribedStatement implements Statement<never> {
  readonly #database: Connection
  readonly #query: Query | (() => Query)
  #compiled: CompiledQuery | undefined

  constructor(database: Connection, query: Query | (() => Query)) {
    this.#database = database
    this.#query = query
  }

  get sql(): string {
    return this.#get().sql
  }

  get parameters(): Statement['parameters'] {
    return this.#get().parameters as Statement['parameters']
  }

  #get(): CompiledQuery {
    if (this.#compiled !== undefined) return this.#compiled
    const query = typeof this.#query === 'function' ? this.#query() : this.#query
    this.#compiled = query.compile(this.#database.kysely)
    return this.#compiled
  }
}

/** The values of a statement's placeholders, in order. */
export function bind(statement: Statement, values: Arguments): SqlValue[] {
  return statement.parameters.map(value => (value instanceof Parameter ? argument(value.name, values) : value))
}

function argument(name: string, values: Arguments): SqlValue {
  const value = values[name]
  if (value === undefined) throw new Error(`the statement's parameter "${name}" has no value`)
  return value
}
