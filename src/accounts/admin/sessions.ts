// Who is logged in. What a browser holds is not kept, and what it is found by is not shown.

import { sql } from 'kysely'
import { computed } from '../../framework/fields/computed.ts'
import { dateTime, formatDateTime } from '../../framework/fields/date-time.ts'
import type { RelationTarget } from '../../framework/fields/field.ts'
import { key } from '../../framework/fields/key.ts'
import { primaryKeyRelated } from '../../framework/fields/primary-key-related.ts'
import { text, via } from '../../framework/fields/text.ts'
import { staff } from '../../framework/permissions/built-in-permissions.ts'
import type { Permission } from '../../framework/permissions/permission.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import type { Resource } from '../../framework/resources/resource.ts'
import { accountEvent } from '../audit-events.ts'
import type { Authority } from '../authority.ts'
import type { Sessions } from '../sessions.ts'
import { accountTables } from '../tables.ts'
import type { AdministrationOptions } from './administration-options.ts'

/** The resource of everyone's sessions that have not expired. */
export const adminSessions = (
  users: RelationTarget,
  authority: Authority,
  { sessions }: AdministrationOptions,
): Resource =>
  resource('sessions', {
    table: 'sessions',
    description: 'Who is logged in. DELETE ends a session. Uses are noted where sessions end without them.',
    auditEvent: accountEvent('session ended'),
    objectName: 'username',
    actions: ['list', 'retrieve', 'destroy'],
    permissions: [staff, stillGood(sessions)],
    ordering: ['-created'],
    filters: ['user'],
    orderingFields: ['created', 'last_used'],
    fields: {
      id: key(),
      user: primaryKeyRelated({ to: users, column: 'user_id' }),
      username: text({ from: via('user_id', 'users', 'username') }),
      created: dateTime(),
      last_used: dateTime(),
      expires: computed({ columns: ['created', 'last_used'], value: times => expiryOf(times, sessions) }),
    },
    async beforeDestroy(id, { context, connection }) {
      const query = accountTables(connection).selectFrom('sessions').select('user_id').where('id', '=', id)
      const row = await query.executeTakeFirst()
      if (row !== undefined) await authority.checkUser(context.user, row.user_id, {}, connection)
    },
  })

// What has expired is removed now and then; until then nobody sees it.
const stillGood = (sessions: Sessions): Permission => ({
  filter: {
    where: ({ column, value }) =>
      sql`${column('created')} > ${value('oldest')} and ${column('last_used')} > ${value('unused')}`,
    values: () => ({ ...sessions.bounds() }),
  },
})

function expiryOf(
  { created, last_used }: Readonly<Record<'created' | 'last_used', unknown>>,
  { lifetime, idle }: Sessions,
): string {
  const [began, used] = [created, last_used].map(time => Date.parse(time as string)) as [number, number]
  return formatDateTime(new Date(Math.min(began + 1000 * lifetime, used + 1000 * idle)))!
}
