import { choice, cursor, dateTime, integer, json, key, type Resource, resource, staff, text } from 'resource-api'
import { superuser } from '../superuser.ts'
import { builtInEvents, outcomes } from './audit.ts'

/**
 * Creates the audit log as a read-only resource of the administration, newest first. Only superusers may read it,
 * because it shows what the staff did and the addresses of all users. Cursor pagination needs no count, and new events
 * do not shift pages. `events`: the events by which it can be filtered, in addition to the built-in ones.
 */
export const auditResource = (events: readonly string[]): Resource =>
  resource('audit-log', {
    table: 'audit_log',
    noStore: true,
    description: 'Events with their user, address and outcome, and the values that changed.',
    actions: ['list', 'retrieve'],
    permissions: [staff, superuser],
    pagination: cursor({ ordering: '-id', pageSize: 50 }),
    ordering: ['-id'],
    searchFields: ['user', 'target', 'object_name'],
    filters: {
      event: true,
      outcome: true,
      user: true,
      address: true,
      action: true,
      resource: true,
      object_key: true,
      created: ['gte', 'lt'],
    },
    fields: {
      id: key(),
      created: dateTime(),
      event: choice(new Set([...builtInEvents, ...events])),
      outcome: choice(outcomes),
      user: text({ nullable: true }),
      address: text({ nullable: true }),
      target: text(),
      status: integer({ nullable: true }),
      action: choice(['create', 'update', 'destroy'], { nullable: true }),
      resource: text({ nullable: true }),
      object_key: text({ nullable: true }),
      object_name: text({ nullable: true }),
      changes: json({ nullable: true }),
    },
  })
