// Checks that related objects exist, which the statement that inserts a new object makes itself (decision 073): that saves a round
// trip to the database. Until then, the object counts as valid.

import { sql } from 'kysely'
import { type Arguments, type Database, parameter, type SqlValue, type Statement } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import type { RelationTarget } from '../../fields/field.ts'
import type { KeyValue } from '../../keys/key.ts'
import { formatKeyList, isListed } from './key-list.ts'

/** A body may be wrong; it must be read again, with checks that find out in which places. */
export class PostponedCheckFailed extends Error {
  override name = 'PostponedCheckFailed'
}

/** The keys of objects that must exist. */
interface PostponedCheck {
  readonly target: RelationTarget
  readonly keys: Set<KeyValue>
  /** Finds the objects with the keys in its parameter `keys`. */
  readonly statement: Statement
}

/** The postponed checks of one body. */
export class PostponedChecks {
  readonly #checks = new Map<string, PostponedCheck>()

  add(target: RelationTarget, statement: Statement, key: KeyValue): void {
    const name = nameColumn(target)
    const check = this.#checks.get(name)
    if (check === undefined) this.#checks.set(name, { target, statement, keys: new Set([key]) })
    else check.keys.add(key)
  }

  /** The tables of the objects that must exist. */
  get targets(): readonly RelationTarget[] {
    return [...this.#checks.values()].map(({ target }) => target)
  }

  /** The parameters of `allExist` for `targets`. */
  bind(dialect: Dialect): Arguments {
    const values: Record<string, SqlValue> = {}
    for (const [index, { target, keys }] of [...this.#checks.values()].entries()) {
      values[nameKeys(index)] = formatKeyList(dialect, target.key, [...keys])
      values[nameCount(index)] = keys.size
    }
    return values
  }

  /** Makes the checks by themselves; rejects with PostponedCheckFailed. */
  async run(database: Database): Promise<void> {
    for (const { target, keys, statement } of this.#checks.values()) {
      const found = await database.run(statement, { keys: formatKeyList(database.dialect, target.key, [...keys]) })
      if (found.length < keys.size) throw new PostponedCheckFailed()
    }
  }
}

/** Names the table of related objects and the column with their keys. */
export const nameColumn = ({ table, key }: RelationTarget): string => JSON.stringify([table, key.column])

const nameKeys = (index: number): string => `checked keys ${index}`
const nameCount = (index: number): string => `checked count ${index}`

/** The names of the parameters of `allExist`. */
export const checkedName = /^checked (?:keys|count) \d+$/

/** A condition: the objects of postponed checks exist. */
export function allExist(dialect: Dialect, targets: readonly RelationTarget[]): Sql {
  const exist = ({ table, key }: RelationTarget, index: number) => {
    const isRequested = isListed(dialect, key, sql.ref(`${table}.${key.column}`), parameter(nameKeys(index)))
    return sql`(select count(*) from ${sql.table(table)} where ${isRequested}) = ${parameter(nameCount(index))}`
  }
  return targets.length === 0 ? sql`true` : sql.join(targets.map(exist), sql` and `)
}
