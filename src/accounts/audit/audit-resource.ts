import { choice, cursor, type Resource, resource, staff } from '#core'
import { accountMessages } from '../messages.ts'
import { superuser } from '../superuser.ts'
import { builtInEvents } from './audit.ts'
import { auditTable } from './audit-table.ts'
import { labelEvent } from './event-labels.ts'

/**
 * Creates the audit log as a read-only resource of the administration, newest first. Only superusers may read it,
 * because it shows what the staff did and the addresses of all users. Cursor pagination needs no count, and new events
 * do not shift pages. `events`: the events by which it can be filtered, in addition to the built-in ones.
 */
export const auditResource = (events: readonly string[]): Resource =>
  resource('audit-log', {
    table: auditTable,
    noStore: true,
    description: accountMessages('about.audit_log'),
    pages: {
      names: { one: accountMessages('name.audit_log.one'), many: accountMessages('name.audit_log.many') },
      columns: ['created', 'user', 'event', 'outcome', 'resource', 'object_name', 'action'],
    },
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
      ...auditTable.pick('id', 'created'),
      event: choice(listEvents(events), { label: accountMessages('label.event') }),
      ...auditTable.pick('outcome', 'user', 'address', 'target', 'status'),
      ...auditTable.pick('action', 'resource', 'object_key', 'object_name', 'changes'),
    },
  })

const listEvents = (events: readonly string[]) =>
  [...new Set<string>([...builtInEvents, ...events])].map(event => [event, labelEvent(event)] as const)
