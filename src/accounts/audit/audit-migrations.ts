import { sql } from 'kysely'
import type { OwnedMigrations, StepFunction } from '#core'

async function createTable(...[kysely, { key, text, dateTime }]: Parameters<StepFunction>): Promise<void> {
  await kysely.schema
    .createTable('audit_log')
    .addColumn('id', key)
    .addColumn('created', dateTime, column => column.notNull())
    .addColumn('event', text, column => column.notNull())
    .addColumn('outcome', text, column => column.notNull())
    .addColumn('user', text)
    .addColumn('address', text)
    .addColumn('target', text, column => column.notNull())
    .addColumn('status', 'integer')
    .execute()
}

/** The columns of changes, and the indexes for an object's history, for counts per day, and for the last changes. */
async function addChanges(...[kysely, { text, json }]: Parameters<StepFunction>): Promise<void> {
  for (const column of ['action', 'resource', 'object_table', 'object_key', 'object_name'])
    await kysely.schema.alterTable('audit_log').addColumn(column, text).execute()
  await kysely.schema.alterTable('audit_log').addColumn('changes', json).execute()
  await sql`create index audit_log_by_object on audit_log (object_table, object_key, id) where object_table is not null`.execute(
    kysely,
  )
  await sql`create index audit_log_by_event on audit_log (outcome, event, created)`.execute(kysely)
  await sql`create index audit_log_of_changes on audit_log (id) where object_table is not null`.execute(kysely)
}

/** Creates the table of audit events. */
export const auditMigrations: OwnedMigrations = {
  owner: 'audit',
  steps: {
    '0001_audit_log': Object.assign(createTable, { formerNames: ['0007_audit_log'] }),
    '0002_changes': addChanges,
  },
}
