// Lets owners list and revoke their named tokens: `GET /api-token-auth/tokens/`, `DELETE …/tokens/3/`, and
// `DELETE …/tokens/` for all tokens.

import { sql } from 'kysely'
import { dateTime } from '../../framework/fields/date-time.ts'
import { key } from '../../framework/fields/key.ts'
import { text } from '../../framework/fields/text.ts'
import { authenticated } from '../../framework/permissions/built-in-permissions.ts'
import type { Permission } from '../../framework/permissions/permission.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import type { Resource } from '../../framework/resources/resource.ts'
import { tokenAuditEvents } from '../audit-events.ts'
import { accountId } from '../user.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** The readable fields of a named token. */
export const namedTokenFields = {
  name: text(),
  expires: dateTime({ nullable: true }),
  last_used: dateTime({ nullable: true }),
}

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('user_id')} = ${value('caller')}`,
    values: ({ user }) => ({ caller: accountId(user) }),
  },
}

/** Creates the resource of the caller's tokens. */
export const ownTokens = (tokens: TokenIssuer): Resource =>
  resource('tokens', {
    table: 'named_tokens',
    description: 'Your tokens. DELETE revokes a token, or all tokens when sent to the list.',
    auditEvent: tokenAuditEvents,
    actions: ['list', 'retrieve', 'destroy'],
    permissions: [authenticated, ownRows],
    fields: { id: key(), ...namedTokenFields, created: dateTime() },
    listMethods: {
      handlers: {
        async DELETE({ user, database }) {
          const id = accountId(user)
          if (id !== null) await database.transaction(connection => tokens.revokeAll(id, connection))
          return { status: 204 }
        },
      },
    },
  })
