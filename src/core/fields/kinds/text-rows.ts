// Texts that are stored as rows of another table: one row for each text, with the key of the object.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { columnReference } from '../column-reference.ts'
import { createJoinTableUses, type FieldDefinition, type JoinTable } from '../field.ts'
import { noColumns } from '../storage.ts'

type TextRows = Pick<FieldDefinition<readonly string[]>, 'columns' | 'storedRows' | 'columnUses' | 'show'>

/** The parts of a list of texts that is stored as rows and shown sorted. `isOwn` selects the texts that belong to the field. */
export const createTextRows = (rows: JoinTable, isOwn?: (value: Sql) => Sql): TextRows => ({
  columns: noColumns,
  storedRows: { of: 'texts', ...(isOwn && { isOwn }), ...rows },
  columnUses: createJoinTableUses('rows', rows),
  show: location => {
    const [own, other] = [sql.ref(`${rows.table}.${rows.own}`), sql.ref(`${rows.table}.${rows.other}`)]
    const owned = isOwn ? sql` and ${isOwn(other)}` : sql``
    return location.dialect.array(
      sql`select ${other} as value from ${sql.table(rows.table)} where ${own} = ${columnReference(location, location.key.column)}${owned} order by ${other}`,
    )
  },
})
