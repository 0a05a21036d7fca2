import { choice, cursor, dateTime, integer, key, resource, staff, text } from 'resource-api'
import { superuser } from 'resource-api/accounts'
import { auditedEvents, outcomes } from './audit.ts'

/**
 * The audit log as a read-only resource of the administration, newest first. Only superusers may read it, because it
 * shows what the staff did and the addresses of all users. Cursor pagination needs no count, and new events do not
 * shift pages.
 */
export const auditResource = resource('audit-log', {
  table: 'audit_log',
  description: 'Who did what, from where, and with what outcome.',
  actions: ['list', 'retrieve'],
  permissions: [staff, superuser],
  pagination: cursor({ ordering: '-id', pageSize: 50 }),
  ordering: ['-id'],
  searchFields: ['user', 'target'],
  filters: ['event', 'outcome', 'user', 'address'],
  fields: {
    id: key(),
    created: dateTime(),
    event: choice(auditedEvents),
    outcome: choice(outcomes),
    user: text({ nullable: true }),
    address: text({ nullable: true }),
    target: text(),
    status: integer({ nullable: true }),
  },
})
