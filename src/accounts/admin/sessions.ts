// The sessions in the administration. Here, `id` is the primary key of the row: the session id in the cookie is stored
// only as a digest, which is not shown.

import { sql } from 'kysely'
import {
  computed,
  formatDateTime,
  type Permission,
  type RelationTarget,
  type Resource,
  related,
  resource,
  text,
  via,
} from '#core'
import { defineAccountEvent } from '../audit/account-events.ts'
import type { Authority } from '../authority.ts'
import { accountMessages } from '../messages.ts'
import type { Sessions } from '../sessions.ts'
import { accountsKysely, sessionTable } from '../tables.ts'
import type { AdministrationOptions } from './administration-options.ts'

/** Creates the resource of all sessions that have not expired. */
export const adminSessions = (
  users: RelationTarget,
  authority: Authority,
  { sessions }: AdministrationOptions,
): Resource =>
  resource('sessions', {
    table: sessionTable,
    noStore: true,
    description: accountMessages('about.sessions'),
    pages: {
      names: { one: accountMessages('name.sessions.one'), many: accountMessages('name.sessions.many') },
      // The first column is the name of the user.
      columns: ['created', 'last_used', 'expires'],
    },
    auditEvent: defineAccountEvent('session ended'),
    objectName: 'username',
    actions: ['list', 'retrieve', 'destroy'],
    permissions: [notExpired(sessions)],
    ordering: ['-created'],
    filters: { user: true },
    orderingFields: ['created', 'last_used'],
    fields: {
      ...sessionTable.pick('id'),
      user: related(users, { label: accountMessages('label.user') }),
      username: text({ source: via('user_id', 'users', 'username'), label: accountMessages('label.username') }),
      ...sessionTable.pick('created', 'last_used'),
      expires: computed({
        columns: ['created', 'last_used'],
        value: times => computeExpiry(times, sessions),
        label: accountMessages('label.expires'),
      }),
    },
    async beforeDestroy({ key, user, connection }) {
      const query = accountsKysely(connection).selectFrom('sessions').select('user_id').where('id', '=', key)
      const row = await query.executeTakeFirst()
      if (row !== undefined) await authority.checkUser(user, row.user_id, {}, connection)
    },
  })

// Hides expired sessions, which are deleted later.
const notExpired = (sessions: Sessions): Permission => ({
  filter: {
    where: ({ column, value }) =>
      sql`${column('created')} > ${value('createdAfter')} and ${column('last_used')} > ${value('lastUsedAfter')}`,
    values: () => ({ ...sessions.bounds() }),
  },
})

function computeExpiry(
  { created, last_used }: Readonly<Record<'created' | 'last_used', unknown>>,
  { lifetime, idle }: Sessions,
): string {
  const [createdTime, lastUsedTime] = [created, last_used].map(time => Date.parse(time as string)) as [number, number]
  return formatDateTime(new Date(Math.min(createdTime + 1000 * lifetime, lastUsedTime + 1000 * idle)))!
}
