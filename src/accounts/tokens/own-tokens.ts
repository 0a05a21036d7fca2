// Lets owners list and revoke their named tokens: `GET /api-token-auth/tokens/`, `DELETE …/tokens/3/`, and
// `DELETE …/tokens/` for all tokens.

import { sql } from 'kysely'
import { authenticated, type Permission, type Resource, resource } from '#core'
import { tokenAuditEvents } from '../audit/account-events.ts'
import { accountMessages } from '../messages.ts'
import { namedTokenTable } from '../tables.ts'
import { findAccountId } from '../user.ts'
import { tokensRevoked } from './describe-token.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** The readable fields of a named token. */
export const namedTokenFields = namedTokenTable.pick('name', 'expires', 'last_used')

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('user_id')} = ${value('caller')}`,
    values: ({ user }) => ({ caller: findAccountId(user) }),
  },
}

/**
 * Creates the resource of the caller's named tokens.
 *
 * @example
 * await app.register(createApi({ database, authentication, resources: [ownTokens(tokens)] }), { prefix: '/account' })
 */
export const ownTokens = (tokens: TokenIssuer): Resource =>
  resource('tokens', {
    table: namedTokenTable,
    noStore: true,
    description: accountMessages('about.own_tokens'),
    pages: { names: { one: accountMessages('name.tokens.one'), many: accountMessages('name.tokens.many') } },
    auditEvent: tokenAuditEvents,
    actions: ['list', 'retrieve', 'destroy'],
    permissions: [authenticated, ownRows],
    fields: namedTokenTable.pick('id', 'name', 'expires', 'last_used', 'created'),
    listMethods: {
      handlers: {
        DELETE: {
          openapi: tokensRevoked,
          async handle({ user, database }) {
            const id = findAccountId(user)
            if (id !== null) await database.transaction(connection => tokens.revokeAll(id, connection))
            return { status: 204 }
          },
        },
      },
    },
  })
