// The fields of a resource whose values are recorded, and the SQL that reads them.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { createStoredValue } from '../../fields/column-reference.ts'
import type { Field } from '../../fields/field.ts'
import { listWrittenColumns } from '../../fields/storage.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Resource } from '../declare/resource.ts'
import { isListed } from '../sql/key-list.ts'
import { createFieldLocation, withoutRelatedResources } from '../sql/select.ts'

/** Whether the state of a field can be read: it has a column of its own, or rows of another table. */
const isRead = (name: string, field: Field): boolean =>
  !field.writeOnly &&
  field.keyColumn === undefined &&
  (field.storedRows !== undefined || listWrittenColumns(name, field).length > 0)

/** The fields whose changes are recorded. */
const listReadFields = ({ fields }: Resource): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => (isRead(name, field) ? name : []))

/**
 * The fields whose values are recorded. Of a changed field that is not listed, only the name is recorded: by default, of a field that some
 * objects hide, because the history shows the values to others.
 */
export function listRecordedFields(resource: Resource): ReadonlySet<string> {
  const shown = () => listReadFields(resource).filter(name => !resource.fields[name]!.isPartial)
  const { auditFields = resource.noStore ? [] : shown() } = resource
  return new Set(auditFields)
}

/** Selects the keys and the states of the objects with these `keys`, in the order of their keys. */
export function compileStates(
  database: Database,
  resource: Resource,
): Statement<readonly [key: KeyValue, state: string]> {
  const { dialect } = database
  const { table, key } = resource
  const keyColumn = sql.ref(`${table}.${key.column}`)
  return compile(database, () => {
    const state = dialect.object(
      listReadFields(resource).map(name => [name, createStateValue(database, resource, name)]),
    )
    return sql`select ${keyColumn}, ${dialect.text(state)} from ${rowsOf(resource)} where ${isListed(dialect, key, keyColumn, parameter('keys'))} order by ${keyColumn}`
  })
}

function createStateValue(database: Database, resource: Resource, name: string): Sql {
  const location = createFieldLocation(database, resource, withoutRelatedResources)
  return createStoredValue({ ...location, name }, resource.fields[name]!)
}
