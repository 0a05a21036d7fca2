// Children are objects of another resource that a body contains inside their parent, such as the lines of an order. They are
// read with the parent's body, and written in its transaction (decision 073). This file is the part that the parent knows.

import type { HandlerContext } from '../../context.ts'
import { type Connection, ConstraintViolation } from '../../database/database.ts'
import type { Field } from '../../fields/field.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Gather } from '../gather.ts'

/** A part of a body with children. */
export interface ChildrenToRead {
  /** The parent's field. */
  readonly name: string
  readonly field: Field
  /** The value of the field in the body, as its `parse` returned it. */
  readonly items: unknown
  readonly request: HandlerContext
  /** The parent's key; undefined for a new one. */
  readonly id: KeyValue | undefined
  readonly partial: boolean
  readonly connection: Connection
  readonly gather?: Gather
}

/** Reads the children in a body; rejects with ValidationError, whose errors are in the places of the children. */
export type ReadChildren = (given: ChildrenToRead) => Promise<ChildrenWrite>

/** Valid children of one parent. */
export interface ChildrenWrite {
  /** Their values, for the parent's hooks. */
  readonly values: unknown
  /** Writes the children; the same for all parents whose children can be written together. */
  readonly writer: ChildrenWriter
  /** Whether no function of the application runs while they are written. */
  readonly isBrief: boolean
}

export interface ChildrenWriter {
  /** Writes children in a transaction. Rejects with StaleObject if any of them changed after they were read. */
  save(connection: Connection, writes: readonly OwnedWrite[], options: WriteOptions): Promise<void>
}

/** Puts the error of a row in its place in the errors of the request; other errors than a ValidationError stay the same. */
export type Place = (error: Error) => Error

/** Children, the key of their parent, and the place of its errors. */
export interface OwnedWrite {
  readonly owner: KeyValue
  readonly write: ChildrenWrite
  readonly place: Place
}

/** An object that has been written, and whose children are next. */
export interface WrittenParent {
  readonly key: KeyValue
  readonly children: readonly ChildrenWrite[]
  /** Default: the errors of the parent are those of the request. */
  readonly place?: Place
}

export interface WriteOptions {
  /** True: each row has its own statement, so that a violation has a place. */
  readonly isolated: boolean
}

/** Writes the children of several parents. */
export async function saveChildren(
  connection: Connection,
  parents: readonly WrittenParent[],
  options: WriteOptions,
): Promise<void> {
  const writes = parents.flatMap(({ key, children, place = keep }) =>
    children.map(write => ({ owner: key, write, place })),
  )
  for (const writer of new Set(writes.map(({ write }) => write.writer)))
    await writer.save(
      connection,
      writes.filter(({ write }) => write.writer === writer),
      options,
    )
}

const keep: Place = error => error

/** A violation that a row of another statement than the parent's caused. */
export class ExplainedViolation extends ConstraintViolation {
  override name = 'ExplainedViolation'
  /** Creates the error at the place of the row. Call it outside of the transaction, which has failed. */
  readonly explain: () => Promise<Error>

  constructor({ message, broken }: ConstraintViolation, explain: () => Promise<Error>) {
    super(message, broken)
    this.explain = explain
  }
}
