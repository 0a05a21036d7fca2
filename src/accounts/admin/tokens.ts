// Who has a token. Its key is shown once: to whoever makes it, or makes it anew (AUTH-SCH-2).

import { sql } from 'kysely'
import type { Connection } from '../../framework/database/database.ts'
import { ValidationError } from '../../framework/errors/exceptions.ts'
import { dateTime } from '../../framework/fields/date-time.ts'
import type { RelationTarget } from '../../framework/fields/field.ts'
import { key } from '../../framework/fields/key.ts'
import { primaryKeyRelated } from '../../framework/fields/primary-key-related.ts'
import { text, via } from '../../framework/fields/text.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import { type ListContext, listView } from '../../framework/resources/extra-view.ts'
import type { Resource } from '../../framework/resources/resource.ts'
import { untilWon } from '../../framework/resources/write.ts'
import { tokenEvents } from '../audit-events.ts'
import type { Authority } from '../authority.ts'
import { namedTokenFields } from '../tokens/own-tokens.ts'
import type { TokenKind } from '../tokens/token-issuer.ts'
import type { AdministrationOptions } from './administration-options.ts'

interface KeptTokens {
  readonly table: string
  readonly key: string
  readonly fields: Partial<typeof namedTokenFields>
  readonly searchFields: readonly (keyof typeof namedTokenFields)[]
  readonly orderingFields: readonly (keyof typeof namedTokenFields)[]
}

const kept: Readonly<Record<TokenKind, KeptTokens>> = {
  single: { table: 'tokens', key: 'user_id', fields: {}, searchFields: [], orderingFields: [] },
  named: {
    table: 'named_tokens',
    key: 'id',
    fields: namedTokenFields,
    searchFields: ['name'],
    orderingFields: ['name', 'expires', 'last_used'],
  },
}

/** The resource of everyone's tokens. */
export function adminTokens(
  users: RelationTarget,
  authority: Authority,
  { tokens, tokenKind }: AdministrationOptions,
): Resource {
  const { table, key: column, fields, searchFields, orderingFields } = kept[tokenKind]
  const user = primaryKeyRelated({ to: users, column: 'user_id' })
  const owned = (id: number) =>
    sql<{ user_id: number }>`select user_id from ${sql.table(table)} where ${sql.id(column)} = ${id}`
  const ownerOf = async (id: number, { kysely }: Connection) => (await owned(id).execute(kysely)).rows[0]?.user_id
  return resource('tokens', {
    table,
    key: column,
    description: 'Who has a token. POST makes one, and shows its key once.',
    auditEvent: tokenEvents,
    objectName: 'username',
    actions: ['list', 'retrieve', 'destroy'],
    searchFields,
    filters: ['user'],
    orderingFields: ['created', ...orderingFields],
    fields: {
      id: key({ column }),
      user,
      username: text({ from: via('user_id', 'users', 'username') }),
      ...fields,
      created: dateTime(),
    },
    async beforeDestroy(id, { context, connection }) {
      const owner = await ownerOf(id, connection)
      if (owner !== undefined) await authority.checkUser(context.user, owner, {}, connection)
    },
    listMethods: listView({
      fields: { user, ...tokens.fields },
      handlers: {
        async POST(context) {
          const { user: owner, ...wanted } = context.values as { user: number }
          const { id, key } = await transact(context, async connection => {
            await authority.checkUser(context.user, owner, {}, connection)
            if (tokenKind === 'single' && (await ownerOf(owner, connection)) !== undefined)
              throw new ValidationError({ user: 'This user has a token already: it can be made anew.' }, 'unique')
            return tokens.issue(owner, wanted, connection)
          })
          const headers = { location: `${context.baseUrl}/tokens/${id}/` }
          return { status: 201, headers, body: await withKey(context, id, key) }
        },
      },
    }),
    objectViews: {
      regenerate: {
        description: 'POST makes the key anew, and shows it once.',
        columns: ['user_id'],
        handlers: {
          async POST(context) {
            const key = await transact(context, async connection => {
              await authority.checkUser(context.user, context.object.user_id as number, {}, connection)
              return tokens.reissue(context.key, connection)
            })
            return { status: 200, body: await withKey(context, context.key, key) }
          },
        },
      },
    },
  })
}

// The user may go meanwhile.
const transact = <Result>(
  { database }: ListContext,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => untilWon(() => database.transaction(work))

async function withKey({ represent }: ListContext, id: number, key: string): Promise<object> {
  const shown = await represent(id)
  return { ...JSON.parse(shown.text), token: key }
}
