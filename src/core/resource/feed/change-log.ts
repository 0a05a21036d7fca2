// Reads the changes that triggers have recorded, in the order in which nothing can be inserted any more. A position in the log names
// the last change that a client knows.

import { parseIntegers } from '../../base/exact-json.ts'
import type { Arguments, Database } from '../../database/database.ts'
import { compileChangeLog, maxLoggedChanges } from '../../database/row-changes.ts'
import type { RowChange } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'

/** The topic of announcements. */
export const feedTopic = 'feed'

/** Milliseconds for which the changes are kept. */
const retention = 7 * 24 * 60 * 60 * 1000

/** A place in the log, after a change. */
export interface Position {
  readonly origin: number
  readonly moment: number
  readonly id: number
}

export interface Changes {
  /** One change per row. */
  readonly rows: ReadonlyMap<string, RowChange>
  readonly end: Position
  readonly hasMore: boolean
}

export interface ChangeLog {
  /** The newest position, and whether changes behind it are not final yet. */
  findEnd(): Promise<{ readonly end: Position; readonly isUnsettled: boolean }>
  /** The changes of a table after a position, up to the end or 1000; undefined if some of them are no longer kept. */
  read(table: string, after: Position): Promise<Changes | undefined>
  /** Deletes the changes that are no longer kept. */
  sweep(now: Date): Promise<void>
}

/** Creates the log of a database that has the table of `feedMigrations`. */
export function createChangeLog(database: Database): ChangeLog {
  const statements = compileChangeLog(database)
  let origin: number | undefined
  const findOrigin = async () => {
    origin ??= Number((await database.latest(statements.origin, {}))![0])
    return origin
  }
  const findEnd = async () => {
    const [row, unsettled] = await Promise.all([
      database.latest(statements.end, {}),
      database.latest(statements.unsettled, {}),
    ])
    const [moment, id] = row ?? [0, 0]
    return { end: toPosition(await findOrigin(), moment, id), isUnsettled: unsettled !== undefined }
  }
  return {
    findEnd,
    async read(table, after) {
      const { end } = await findEnd()
      // A database that was restored from a backup ends before the positions that clients have.
      if (after.origin !== end.origin || isAfter(after, end)) return undefined
      const values = toValues(after)
      if ((await database.latest(statements.expired, values)) !== undefined) return undefined
      const [json] = (await database.latest(statements.read, { ...values, table }))!
      const found = parseIntegers(json) as readonly LoggedChange[]
      const last = found.at(-1)
      const lastPosition = last === undefined ? after : toPosition(end.origin, last.moment, last.id)
      const hasMore = found.length === maxLoggedChanges
      return {
        rows: mergeChanges(found),
        end: hasMore || isAfter(lastPosition, end) ? lastPosition : end,
        hasMore,
      }
    },
    async sweep(now) {
      const values = { before: new Date(now.getTime() - retention).toISOString().replace('Z', '000Z') }
      await database.transaction(async connection => {
        const newest = await connection.first(statements.newestOld, values)
        if (newest === undefined) return
        await connection.run(statements.mark, { id: newest[0] })
        await connection.run(statements.remove, { ...values, id: newest[0] })
      })
    },
  }
}

interface LoggedChange {
  readonly id: number
  readonly key: string
  readonly action: 'create' | 'update' | 'destroy' | 'expired'
  readonly moment: number
}

function mergeChanges(changes: readonly LoggedChange[]): ReadonlyMap<string, RowChange> {
  return new Map(
    [...Map.groupBy(changes, ({ key }) => key)].map(([key, ofRow]) => [
      key,
      {
        key: parseIntegers(key) as KeyValue,
        formerIds: ofRow.flatMap(({ id, action }) => (action === 'create' ? [] : id)),
        isNew: ofRow[0]!.action === 'create',
        isDeleted: ofRow.at(-1)!.action === 'destroy',
      },
    ]),
  )
}

const toPosition = (origin: number, moment: number | string, id: number | string): Position => ({
  origin,
  moment: Number(moment),
  id: Number(id),
})

const toValues = ({ moment, id }: Position): Arguments => ({ moment, id })

/** Whether the first position is behind the second. */
export const isAfter = (one: Position, other: Position): boolean =>
  one.moment > other.moment || (one.moment === other.moment && one.id > other.id)

/** A position as clients see it. */
export const formatPosition = ({ origin, moment, id }: Position): string => `${origin}-${moment}-${id}`

/** Reads a position; undefined if the text is none. */
export function parsePosition(text: string): Position | undefined {
  const match = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text)
  return match === null ? undefined : toPosition(Number(match[1]), match[2]!, match[3]!)
}
