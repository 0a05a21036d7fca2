// Children are objects of another resource that a body contains inside their parent, such as the lines of an order, or its
// address. They are read with the parent's body, and written in its transaction (decision 073): before the parent if a column of
// it contains the key of the child, otherwise after it. This file is the part that the parent knows.

import type { Gather } from '../../base/gather.ts'
import { type Arguments, type Connection, ConstraintViolation } from '../../database/database.ts'
import type { Field } from '../../fields/field.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Columns } from '../declare/hooks.ts'
import type { RequestRows } from '../declare/request-rows.ts'
import type { Resource } from '../declare/resource.ts'
import type { FamilyMember } from '../sql/family-insert.ts'
import type { InsertedRow } from '../sql/many.ts'

/** A part of a body with children. */
export interface ChildrenToRead {
  /** The resource of the parent. */
  readonly parent: Pick<Resource, 'table' | 'key'>
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
  /** Counts the rows of the request. */
  readonly rows: RequestRows
}

/** Reads the children in a body; rejects with ValidationError, whose errors are in the places of the children. */
export type ReadChildren = (given: ChildrenToRead) => Promise<ChildrenWrite>

/** Valid children of one parent. */
export interface ChildrenWrite {
  /** Their values, for the parent's hooks. */
  readonly values: unknown
  /** Writes the children; the same for all parents whose children can be written together. */
  readonly writer: ChildrenWriter
  /** The column of the parent that contains the key of the only child; undefined if the children refer to the parent. */
  readonly column: string | undefined
  /** Whether no function of the application runs while they are written. */
  readonly isBrief: boolean
}

export interface ChildrenWriter {
  /**
   * Inserts a new parent and its new children with one statement. `values`: the parameters of `compileFamilyInsert` but the children.
   * Resolves to undefined if one statement cannot do it. Rejects with ConstraintViolation.
   */
  insertFamily(parent: FamilyMember, write: ChildrenWrite, values: Arguments): Promise<InsertedRow | undefined>
  /** Writes children in a transaction. Rejects with StaleObject if any of them changed after they were read. */
  save(connection: Connection, writes: readonly OwnedWrite[], options: WriteOptions): Promise<void>
  /**
   * The same for children to which parents refer, before the parents are written. Resolves to the key for the column of each
   * parent: null for no child, and undefined if it stays.
   */
  saveReferred(
    connection: Connection,
    writes: readonly ReferredWrite[],
    options: WriteOptions,
  ): Promise<readonly (KeyValue | null | undefined)[]>
  /** Deletes the children to which the parents no longer refer, as far as the bodies may remove them. */
  removeReplaced(connection: Connection, writes: readonly ReferredWrite[], options: WriteOptions): Promise<void>
}

/** Puts the error of a row in its place in the errors of the request; other errors than a ValidationError stay the same. */
export type Place = (error: Error) => Error

/** Children, the key of their parent, and the place of its errors. */
export interface OwnedWrite {
  readonly owner: KeyValue
  readonly write: ChildrenWrite
  readonly place: Place
}

/** The only child of a parent, whose key is undefined as long as it is not inserted. */
export interface ReferredWrite extends Omit<OwnedWrite, 'owner'> {
  readonly owner: KeyValue | undefined
}

/** An object whose children are written after it. */
export interface WrittenParent {
  readonly key: KeyValue
  readonly children: readonly ChildrenWrite[]
  /** Default: the errors of the parent are those of the request. */
  readonly place?: Place
}

/** An object whose children are written before it. */
export interface ParentToWrite extends Omit<WrittenParent, 'key'> {
  readonly key: KeyValue | undefined
}

/** One attempt to write. */
export interface Attempt {
  /** True: each row has its own statement, so that a violation has a place. */
  readonly isolated: boolean
}

export interface WriteOptions extends Attempt {
  /** The rows of the request. */
  readonly rows: RequestRows
}

/** Writes the children that refer to several parents. */
export async function saveChildren(
  connection: Connection,
  parents: readonly WrittenParent[],
  options: WriteOptions,
): Promise<void> {
  const writes = parents.flatMap(({ key, children, place = keep }) =>
    children.flatMap(write => (write.column === undefined ? { owner: key, write, place } : [])),
  )
  for (const [writer, ofWriter] of groupByWriter(writes)) await writer.save(connection, ofWriter, options)
}

/**
 * Writes the children to which columns of several parents refer, before the parents themselves. Resolves to the columns of each
 * parent that change; undefined if no parent has such children.
 */
export async function saveReferred(
  connection: Connection,
  parents: readonly ParentToWrite[],
  options: WriteOptions,
): Promise<readonly Columns[] | undefined> {
  const writes = listReferred(parents)
  if (writes.length === 0) return undefined
  const columns = parents.map((): Record<string, KeyValue | null> => ({}))
  for (const [writer, ofWriter] of groupByWriter(writes)) {
    const keys = await writer.saveReferred(connection, ofWriter, options)
    for (const [index, { write, parent }] of ofWriter.entries())
      if (keys[index] !== undefined) columns[parent]![write.column!] = keys[index]
  }
  return columns
}

/** Deletes the children that the parents, which are written, have replaced. */
export async function removeReplaced(
  connection: Connection,
  parents: readonly WrittenParent[],
  options: WriteOptions,
): Promise<void> {
  for (const [writer, ofWriter] of groupByWriter(listReferred(parents)))
    await writer.removeReplaced(connection, ofWriter, options)
}

const listReferred = (parents: readonly ParentToWrite[]) =>
  parents.flatMap(({ key, children, place = keep }, parent) =>
    children.flatMap(write => (write.column === undefined ? [] : { owner: key, write, place, parent })),
  )

const groupByWriter = <Write extends ReferredWrite>(writes: readonly Write[]): ReadonlyMap<ChildrenWriter, Write[]> =>
  Map.groupBy(writes, ({ write }) => write.writer)

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
