// The table of audit events. Those that changed an object have an action, and are found by the indexes.

import { sql } from 'kysely'
import { choice, dateTime, integer, json, key, step, table, tables, text } from '#core'
import { accountMessages } from '../messages.ts'
import { actionLabels, outcomeLabels } from './event-labels.ts'

export const auditTable = table('audit_log', {
  columns: {
    id: key(),
    created: dateTime({ label: accountMessages('label.time') }),
    event: text(),
    outcome: choice(outcomeLabels, { label: accountMessages('label.outcome') }),
    user: text({ nullable: true, label: accountMessages('label.user') }),
    address: text({ nullable: true, label: accountMessages('label.address') }),
    target: text({ label: accountMessages('label.target') }),
    status: integer({ nullable: true, label: accountMessages('label.status') }),
    action: choice(actionLabels, { nullable: true, label: accountMessages('label.action') }),
    resource: text({ nullable: true, label: accountMessages('label.resource') }),
    object_table: text({ nullable: true }),
    object_key: text({ nullable: true, label: accountMessages('label.object_key') }),
    object_name: text({ nullable: true, label: accountMessages('label.object_name') }),
    changes: json({ nullable: true, label: accountMessages('label.changes') }),
  },
  types: { status: { sqlite: 'integer', postgres: 'integer' } },
  indexes: [
    // For an object's history, for counts per day, and for the last changes.
    {
      name: 'audit_log_by_object',
      columns: ['object_table', 'object_key', 'id'],
      where: ({ row }) => sql`${row.object_table} is not null`,
    },
    { name: 'audit_log_by_event', columns: ['outcome', 'event', 'created'] },
    { name: 'audit_log_of_changes', columns: ['id'], where: ({ row }) => sql`${row.object_table} is not null` },
  ],
})

const nullableText = { type: 'text', nullable: true } as const
const where = '"object_table" is not null'

const createTable = step({
  change: [
    {
      createTable: 'audit_log',
      columns: {
        id: 'key',
        created: 'dateTime',
        event: 'text',
        outcome: 'text',
        user: nullableText,
        address: nullableText,
        target: 'text',
        status: { type: { sqlite: 'integer', postgres: 'integer' }, nullable: true },
      },
    },
  ],
  formerNames: ['0007_audit_log'],
  formerDigests: ['1-WCQWJEVPnEYhwUE8s80JNkz7H1q9vEnxKaNny9lowP8'],
})

const addChanges = step({
  change: [
    ...['action', 'resource', 'object_table', 'object_key', 'object_name'].map(addColumn => ({
      ...{ table: 'audit_log', addColumn },
      ...nullableText,
    })),
    { table: 'audit_log', addColumn: 'changes', type: 'json', nullable: true },
    { table: 'audit_log', addIndex: 'audit_log_by_object', columns: ['object_table', 'object_key', 'id'], where },
    { table: 'audit_log', addIndex: 'audit_log_by_event', columns: ['outcome', 'event', 'created'] },
    { table: 'audit_log', addIndex: 'audit_log_of_changes', columns: ['id'], where },
  ],
  formerDigests: ['1-zP87ECh43RBqxTztsuxQ-3z3FHHyf83DOqjWYNlggQw'],
})

export const auditTables = tables({
  owner: 'audit',
  tables: [auditTable],
  migrations: { '0001_audit_log': createTable, '0002_changes': addChanges },
})
