// The tokens resource of the administration. A token is shown once, in the response that creates or regenerates it
// (AUTH-SCH-2).

import { sql } from 'kysely'
import {
  type Connection,
  integerKey,
  type Key,
  type KeyValue,
  key,
  type ListContext,
  listView,
  type RelationTarget,
  type Resource,
  related,
  resource,
  retryLostRaces,
  type Table,
  text,
  ValidationError,
  via,
} from '#core'
import { tokenAuditEvents } from '../audit/account-events.ts'
import type { Authority } from '../authority.ts'
import { accountMessages } from '../messages.ts'
import { namedTokenTable, tokenTable } from '../tables.ts'
import { tokenIssued } from '../tokens/describe-token.ts'
import { namedTokenFields } from '../tokens/own-tokens.ts'
import type { TokenKind } from '../tokens/token-issuer.ts'
import type { AdministrationOptions } from './administration-options.ts'

interface TokenTable {
  readonly table: Table
  readonly key: Key
  readonly fields: Partial<typeof namedTokenFields>
  /** The fields that are columns. */
  readonly listed: readonly (keyof typeof namedTokenFields)[]
  readonly searchFields: readonly (keyof typeof namedTokenFields)[]
  readonly orderingFields: readonly (keyof typeof namedTokenFields)[]
}

const tokenTables: Readonly<Record<TokenKind, TokenTable>> = {
  single: {
    table: tokenTable,
    key: integerKey({ column: 'user_id' }),
    fields: {},
    listed: [],
    searchFields: [],
    orderingFields: [],
  },
  named: {
    table: namedTokenTable,
    key: integerKey(),
    fields: namedTokenFields,
    listed: ['name', 'expires', 'last_used'],
    searchFields: ['name'],
    orderingFields: ['name', 'expires', 'last_used'],
  },
}

/** Creates the resource of all tokens. */
export function adminTokens(
  users: RelationTarget,
  authority: Authority,
  { tokens, tokenKind }: AdministrationOptions,
): Resource {
  const { table, key: tokenKey, fields, listed, searchFields, orderingFields } = tokenTables[tokenKind]
  const user = related(users, { column: 'user_id', label: accountMessages('label.user') })
  const selectOwner = (id: number | string) =>
    sql<{ user_id: number }>`select user_id from ${sql.table(table.name)} where ${sql.id(tokenKey.column)} = ${id}`
  const findOwner = async (id: number | string, { kysely }: Connection) =>
    (await selectOwner(id).execute(kysely)).rows[0]?.user_id
  return resource('tokens', {
    table,
    noStore: true,
    key: tokenKey,
    description: accountMessages('about.tokens'),
    pages: {
      names: { one: accountMessages('name.tokens.one'), many: accountMessages('name.tokens.many') },
      // The first column is the name of the user.
      columns: [...listed, 'created'],
    },
    auditEvent: tokenAuditEvents,
    objectName: 'username',
    actions: ['list', 'retrieve', 'destroy'],
    searchFields,
    filters: { user: true },
    orderingFields: ['created', ...orderingFields],
    fields: {
      id: key(),
      user,
      username: text({ source: via('user_id', 'users', 'username'), label: accountMessages('label.username') }),
      ...fields,
      ...tokenTable.pick('created'),
    },
    async beforeDestroy({ key, user: caller, connection }) {
      const owner = await findOwner(key, connection)
      if (owner !== undefined) await authority.checkUser(caller, owner, {}, connection)
    },
    listMethods: listView({
      body: { user, ...tokens.fields },
      handlers: {
        POST: {
          openapi: tokenIssued(201),
          async handle(context) {
            const { user: owner, ...values } = context.body as { user: number }
            const { id, token } = await transactWithRetry(context, async connection => {
              await authority.checkUser(context.user, owner, {}, connection)
              if (tokenKind === 'single' && (await findOwner(owner, connection)) !== undefined)
                throw new ValidationError({ user: accountMessages('unique.token') })
              return tokens.issue(owner, values, connection)
            })
            const headers = { location: `${context.baseUrl}/tokens/${id}/` }
            return { status: 201, headers, body: await formatBody(context, id, token) }
          },
        },
      },
    }),
    objectViews: {
      regenerate: {
        description: accountMessages('about.regenerate'),
        pageActions: { POST: { label: accountMessages('action.regenerate') } },
        openapi: tokenIssued(200),
        columns: ['user_id'],
        handlers: {
          async POST(context) {
            const token = await transactWithRetry(context, async connection => {
              await authority.checkUser(context.user, context.object.user_id as number, {}, connection)
              return tokens.reissue(Number(context.key), connection)
            })
            return { status: 200, body: await formatBody(context, context.key, token) }
          },
        },
      },
    },
  })
}

/** Runs the transaction once more after a constraint violation, for example because the user was deleted in between. */
export const transactWithRetry = <Result>(
  { database }: Pick<ListContext, 'database'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => retryLostRaces(() => database.transaction(work))

async function formatBody({ represent }: ListContext, id: KeyValue, token: string): Promise<object> {
  const representation = await represent(id)
  return { ...JSON.parse(representation.text), token }
}
