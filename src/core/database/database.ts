// Describe, compile once, execute: Kysely describes a query, the first run compiles it to a statement, and each request
// only binds values. Running a statement throws or rejects with ConstraintViolation, or with ServiceUnavailable if the
// database is busy or unreachable.

import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type Kysely,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  type RawBuilder,
  sql,
} from 'kysely'
import { createBoundedMap } from '../base/bounded-map.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { ServiceUnavailable, ValidationError } from '../errors/exceptions.ts'
import { frameworkMessages } from '../messages/english.ts'
import type { BrokenConstraint, Catalogue } from './catalogue.ts'
import type { Dialect } from './dialect.ts'

/** A value that can be bound to a parameter. The database's driver converts booleans. */
export type SqlValue = string | number | boolean | null

/** Values by parameter name. */
export type Arguments = Readonly<Record<string, SqlValue>>

/** No parameter has a value. */
export const noValues: Arguments = Object.freeze({})

/** A compiled query. Its rows are arrays, in the order of the selected columns. */
export interface Statement<Row extends readonly unknown[] = readonly unknown[]> {
  readonly sql: string
  /** For each placeholder, its fixed value or the parameter that is bound to it. */
  readonly parameters: readonly (Parameter | SqlValue)[]
  /** Exists only for its type, the shape of a row. */
  readonly row?: Row
  /** Finds the statement for these values, if the SQL depends on them. */
  choose?(values: Arguments): Statement<Row>
}

/** The columns of each table, by name; any, if the application does not declare them. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are the application's
export type AnyTables = any

/** One connection, in or outside a transaction. `Tables`: the columns of each table, as Kysely takes them. */
export interface Connection<Tables = AnyTables> {
  run<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<readonly Row[]>
  /** The first row; undefined if there are no rows. */
  first<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<Row | undefined>
  /** For hooks and for queries off the hot path: builds and runs on this connection. */
  readonly kysely: Kysely<Tables>
}

/**
 * SQLite or PostgreSQL. `run`, `first` and `kysely` only read, possibly from a replica; they may miss commits that were
 * made in the current turn of the event loop. Write with `transaction`.
 *
 * @example
 * await database.transaction(({ kysely }) => kysely.insertInto('orders').values({ number: 'A1' }).execute())
 */
export interface Database<Tables = AnyTables> extends Connection<Tables> {
  readonly dialect: Dialect
  readonly catalogue: Catalogue
  /** Like `first`, but sees every commit before the call. Authentication uses it. */
  latest<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): MaybePromise<Row | undefined>
  /**
   * A value that changes with every commit of any process; reads in the same turn of the event loop see this version.
   * Absent if reading it would need a round trip.
   */
  readonly version?: () => unknown
  /** Runs one writing statement in its own transaction. */
  write<Row extends readonly unknown[]>(statement: Statement<Row>, values: Arguments): Promise<readonly Row[]>
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<Result>(
    work: (connection: Connection<Tables>) => MaybePromise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** Runs the steps of a migration. On PostgreSQL, only one process at a time does so; the others wait. */
  changeSchema<Result>(work: (session: SchemaSession) => Promise<Result>, options?: SchemaOptions): Promise<Result>
  /** The current state of the connection pool; absent if there is no pool. */
  readonly pool?: () => PoolState
  /** Tells the processes that use this database of commits. */
  readonly announcements: Announcements
  close(): Promise<void>
}

/** Messages without content between the processes that use one database. */
export interface Announcements {
  /** Calls the listeners of all processes once the transaction of `connection` has committed. */
  announce(topic: string, connection: Connection): Promise<void>
  /** Calls `listener` after each commit that announced the topic. Returns a function that ends this. */
  listen(topic: string, listener: () => void): () => Promise<void>
}

/** The session in which the steps of a migration run. */
export interface SchemaSession {
  /**
   * Like `transaction` of the database, but no statement has a time limit. On SQLite, foreign keys have no effect, because with them,
   * `drop table` would also delete the rows that refer to the table. On PostgreSQL, `work` runs again if it has waited too long for a
   * lock. `work` runs each step with `runStep`.
   */
  transaction<Result>(work: (connection: Connection, runStep: RunStep) => Promise<Result>): Promise<Result>
  /** Runs a statement outside of a transaction, without time limits. */
  execute(text: string): Promise<void>
}

export interface SchemaOptions {
  /** How long a statement waits for a lock, in milliseconds; default 2000. SQLite has no such locks. */
  readonly lockTimeout?: number | undefined
  /** Called with a sentence if another process or program has to be waited for. */
  readonly report?: ((sentence: string) => void) | undefined
}

/** Runs one step. Rejects with its error; on SQLite, also with an Error that describes which rows it would lose, and the like. */
export type RunStep = <Result>(step: () => Promise<Result>) => Promise<Result>

export interface TransactionOptions {
  /** True: the statements run without timeouts, however long they take. Default: false. */
  readonly unbounded?: boolean
  /**
   * True: the work waits for nothing but its statements. SQLite may then commit it together with others, and each waits for that
   * commit. Default: false.
   */
  readonly isBrief?: boolean
}

/** The maximum number of connections, how many are open and how many idle, and the number of waiting callers. */
export interface PoolState {
  readonly size: number
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

/** Called with the text of each statement that a database runs. */
export type StatementObserver = (sql: string) => void

/** A write violates a constraint: the input is invalid, or a concurrent write made it so. */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation'
  readonly broken: BrokenConstraint

  constructor(message: string, broken: BrokenConstraint, options?: ErrorOptions) {
    super(message, options)
    this.broken = broken
  }
}

/**
 * The database ended the transaction in favour of another one, such as one that waits for its locks while it waits for theirs. The
 * same work may succeed at once.
 */
export class TransactionConflict extends ServiceUnavailable {}

/** A value exceeds the range or length of its column, which is narrower than its field. The error names no column. */
export class ValueOutOfRange extends ValidationError {
  constructor() {
    super(frameworkMessages('invalid.out_of_range'))
  }
}

/** Marks the position in a described query to which a value is bound by name. */
export class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A placeholder for the value named `name`. */
export const parameter = (name: string): RawBuilder<never> => sql`${new Parameter(name)}`

/** Marks the position of a condition that a text chooses. */
class ChosenCondition {
  /** The parameter to which the text is bound. */
  readonly text: Expression<unknown>
  readonly create: (text: string) => Expression<unknown>
  constructor(text: Expression<unknown>, create: (text: string) => Expression<unknown>) {
    this.text = text
    this.create = create
  }
}

/**
 * A condition whose SQL follows from the value of a parameter, a text. A statement that contains it is compiled for each text. Where no
 * value is known, such as in the checks at start, it is false.
 */
export const chooseCondition = (
  text: Expression<unknown>,
  create: (text: string) => Expression<unknown>,
): RawBuilder<never> => sql`${new ChosenCondition(text, create)}`

/** Puts the SQL of the conditions into a query. */
class ConditionChooser extends OperationNodeTransformer {
  readonly #create: (each: ChosenCondition) => Expression<unknown>
  constructor(create: (each: ChosenCondition) => Expression<unknown>) {
    super()
    this.#create = create
  }

  protected override transformNodeImpl<Node extends OperationNode>(node: Node, queryId: QueryId): Node {
    const { value } = node as { readonly value?: unknown }
    return value instanceof ChosenCondition
      ? (this.#create(value).toOperationNode() as Node)
      : super.transformNodeImpl(node, queryId)
  }
}

type Query = Compilable | RawBuilder<unknown>

/** A statement that is compiled when it first runs. If `query` is a function, it is called only then. */
export const compile = <Row extends readonly unknown[]>(
  database: Connection,
  query: Query | (() => Query),
): Statement<Row> => new DescribedStatement(database, query)

// A class, so that V8 gives all statements the same hidden class: every request reads their properties.
class DescribedStatement implements Statement<never> {
  readonly #database: Connection
  readonly #query: Query | (() => Query)
  #compiled: CompiledQuery | undefined
  #choices: Choices | undefined

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

  choose(values: Arguments): Statement<never> {
    this.#get()
    return this.#choices === undefined ? this : (this.#choices.find(values) as Statement<never>)
  }

  #get(): CompiledQuery {
    if (this.#compiled !== undefined) return this.#compiled
    const { kysely } = this.#database
    const query = typeof this.#query === 'function' ? this.#query() : this.#query
    const compiled = query.compile(kysely)
    this.#choices = createChoices(kysely, compiled)
    this.#compiled = this.#choices?.none ?? compiled
    return this.#compiled
  }
}

/** The statements that follow from one query by the texts of its chosen conditions. `none`: all of them are false. */
interface Choices {
  readonly none: CompiledQuery
  find(values: Arguments): Statement
}

// A statement that is compiled again is right, but slower.
const maxChoices = 200

function createChoices(kysely: Kysely<AnyTables>, { query, queryId, parameters }: CompiledQuery): Choices | undefined {
  const chosen = parameters.filter(each => each instanceof ChosenCondition)
  if (chosen.length === 0) return undefined
  const names = chosen.map(({ text }) => (sql`${text}`.compile(kysely).parameters[0] as Parameter).name)
  const compileWith = (create: (each: ChosenCondition) => Expression<unknown>): CompiledQuery =>
    kysely.getExecutor().compileQuery(new ConditionChooser(create).transformNode(query), queryId)
  const found = createBoundedMap<string, Statement>({ maxSize: maxChoices })
  return {
    none: compileWith(() => sql`false`),
    find(values) {
      const texts = names.map(name => findArgument(name, values))
      const key = JSON.stringify(texts)
      const known = found.get(key)
      if (known !== undefined) return known
      const { sql: text, parameters: bound } = compileWith(each => each.create(String(texts[chosen.indexOf(each)])))
      const statement = { sql: text, parameters: bound as Statement['parameters'] }
      found.set(key, statement)
      return statement
    },
  }
}

/** Returns the values of a statement's placeholders, in order. An array that has a value for each is returned itself. */
export function bind(statement: Statement, values: Arguments): SqlValue[] {
  if (Array.isArray(values) && values.length === statement.parameters.length) return values
  return statement.parameters.map(value => (value instanceof Parameter ? findArgument(value.name, values) : value))
}

function findArgument(name: string, values: Arguments): SqlValue {
  const value = values[name]
  if (value === undefined) throw new Error(`the statement's parameter "${name}" has no value`)
  return value
}
