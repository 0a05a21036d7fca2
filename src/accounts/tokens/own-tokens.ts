// What the owner of named tokens sees of them, and may do: `GET /api-token-auth/tokens/`, `DELETE …/tokens/3/`, and
// `DELETE …/tokens/` for all of them.

import { sql } from 'kysely'
import { dateTime } from '../../framework/fields/date-time.ts'
import { key } from '../../framework/fields/key.ts'
import { text } from '../../framework/fields/text.ts'
import { authenticated } from '../../framework/permissions/built-in-permissions.ts'
import type { Permission } from '../../framework/permissions/permission.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import type { Resource } from '../../framework/resources/resource.ts'
import { tokenEvents } from '../audit-events.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** What is shown of a named token; its key is not. */
export const namedTokenFields = {
  name: text(),
  expires: dateTime({ nullable: true }),
  last_used: dateTime({ nullable: true }),
}

const own: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('user_id')} = ${value('caller')}`,
    values: ({ user }) => ({ caller: user.id }),
  },
}

/** The resource of the caller's tokens. */
export const ownTokens = (tokens: TokenIssuer): Resource =>
  resource('tokens', {
    table: 'named_tokens',
    description: 'Your tokens. DELETE revokes one, or on the list all of them.',
    auditEvent: tokenEvents,
    actions: ['list', 'retrieve', 'destroy'],
    permissions: [authenticated, own],
    fields: { id: key(), ...namedTokenFields, created: dateTime() },
    listMethods: {
      handlers: {
        async DELETE({ user, database }) {
          await database.transaction(connection => tokens.revokeAll(user.id!, connection))
          return { status: 204 }
        },
      },
    },
  })
