import { choice, cursor, dateTime, integer, json, key, type Resource, resource, staff, text } from '#core'
import { accountMessages } from '../messages.ts'
import { superuser } from '../superuser.ts'
import { builtInEvents } from './audit.ts'
import { actionLabels, labelEvent, outcomeLabels } from './event-labels.ts'

/**
 * Creates the audit log as a read-only resource of the administration, newest first. Only superusers may read it,
 * because it shows what the staff did and the addresses of all users. Cursor pagination needs no count, and new events
 * do not shift pages. `events`: the events by which it can be filtered, in addition to the built-in ones.
 */
export const auditResource = (events: readonly string[]): Resource =>
  resource('audit-log', {
    table: 'audit_log',
    noStore: true,
    description: accountMessages('about.audit_log'),
    pages: { names: { one: accountMessages('name.audit_log.one'), many: accountMessages('name.audit_log.many') } },
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
      created: dateTime({ label: accountMessages('label.time') }),
      event: choice(listEvents(events), { label: accountMessages('label.event') }),
      outcome: choice(outcomeLabels, { label: accountMessages('label.outcome') }),
      user: text({ nullable: true, label: accountMessages('label.user') }),
      address: text({ nullable: true, label: accountMessages('label.address') }),
      target: text({ label: accountMessages('label.target') }),
      status: integer({ nullable: true, label: accountMessages('label.status') }),
      action: choice(actionLabels, { nullable: true, label: accountMessages('label.action') }),
      resource: text({ nullable: true, label: accountMessages('label.resource') }),
      object_key: text({ nullable: true, label: accountMessages('label.object_key') }),
      object_name: text({ nullable: true, label: accountMessages('label.object_name') }),
      changes: json({ nullable: true, label: accountMessages('label.changes') }),
    },
  })

const listEvents = (events: readonly string[]) =>
  [...new Set<string>([...builtInEvents, ...events])].map(event => [event, labelEvent(event)] as const)
