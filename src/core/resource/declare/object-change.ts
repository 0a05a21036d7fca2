// The changes that a write makes to objects. An API records them in the transaction of the write, with its option `recordChanges`
// (decision 082). Values of write-only fields are never recorded. A resource with `noStore` lists the fields whose values may be
// recorded in its option `auditFields`.

import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Connection } from '../../database/database.ts'
import type { Identity } from '../../http/identity.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { AuditEventOption } from '../../view/view.ts'

/** The values of one field before and after a write; both are absent if they may not be recorded. */
export interface ChangedValue {
  /** Absent for a new object. */
  readonly old?: unknown
  /** Absent for a deleted object. */
  readonly new?: unknown
  /** The values that are cut to the beginning of their text, or left out because the change is too long. */
  readonly cut?: readonly ('old' | 'new')[]
}

/** A created, changed or deleted object. */
export interface ObjectChange {
  /** The name of the resource. */
  readonly resource: string
  readonly table: string
  readonly key: KeyValue
  readonly action: 'create' | 'update' | 'destroy'
  /** The value of the field `objectName`; null if there is none, or if it may not be recorded. */
  readonly objectName: string | null
  /**
   * The changed fields, by their declared names: all fields of a new or deleted object. A related object is its key, a file its
   * name.
   */
  readonly values: Readonly<Record<string, ChangedValue>>
}

/** The changes of one write. */
export interface RecordedWrite {
  readonly user: Identity
  /** Undefined if a command wrote. */
  readonly request: FastifyRequest | undefined
  /** Method and path of the request that the write belongs to, or that would do the same as the called action. */
  readonly method: string
  readonly path: string
  /** As the view of the write declares it. */
  readonly auditEvent: AuditEventOption | undefined
  /** The transaction of the write. */
  readonly connection: Connection
  readonly changes: readonly ObjectChange[]
}

/** Records the changes of a write in its transaction. If it rejects, the write is rolled back. */
export interface RecordChanges {
  (write: RecordedWrite): MaybePromise<void>
  /** True: it waits for nothing but statements of the transaction (see `TransactionOptions.isBrief`). Default: false. */
  readonly isBrief?: boolean
}
