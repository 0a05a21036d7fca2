// The page with the caller's tokens, where a new one is shown once, and the view that revokes them.

import { html } from 'ghtml'
import { sql } from 'kysely'
import { type HandlerContext, NotFound, ValidationError, type ViewOptions } from '#core'
import { copyLine, timeHtml, type Words } from '#pages'
import { defineAccountEvent, tokenAuditEvents } from '../audit/account-events.ts'
import { accountMessages } from '../messages.ts'
import { accountsKysely } from '../tables.ts'
import type { TokenKind } from '../tokens/token-issuer.ts'
import {
  errorList,
  findOwnId,
  type OwnAccountOptions,
  readBody,
  redirectTo,
  sharedOptions,
  showPage,
} from './account-page.ts'
import { readId } from './read-id.ts'

interface OwnToken {
  readonly id: number
  readonly name: string
  readonly created: string
  readonly expires: string | null
  readonly last_used: string | null
}

/** `GET` lists the tokens; `POST` makes one, and shows it. `revokePath`: the path of the view that revokes them. */
export function ownTokensPage(options: OwnAccountOptions, revokePath: string): ViewOptions {
  const show = async (context: HandlerContext, beforeHtml: (words: Words) => string, status?: number) => {
    const tokens = await readTokens(options, findOwnId(context))
    const create = (words: Words, hiddenHtml: string) => ({
      heading: words('page.my_tokens'),
      mainHtml:
        beforeHtml(words) +
        tokenTable(tokens, { tokenKind: options.tokenKind, words, hiddenHtml, revokePath }) +
        makeForm(options, tokens.length > 0, { words, hiddenHtml }),
    })
    return showPage(options, context, create, status)
  }
  return {
    ...sharedOptions,
    name: 'Tokens',
    auditEvent: tokenAuditEvents,
    handlers: {
      GET: context => show(context, () => ''),
      async POST(context) {
        try {
          const token = await makeToken(options, context)
          return await show(context, words => newToken(token, words))
        } catch (error) {
          if (error instanceof ValidationError) return show(context, words => errorList(error.errors, words), 400)
          throw error
        }
      },
    },
  }
}

/** `POST` revokes the token with the given `id`. */
export const revokeOwnToken = ({ database, tokens, tokenKind }: OwnAccountOptions, listPath: string): ViewOptions => ({
  ...sharedOptions,
  name: 'Revoke token',
  auditEvent: defineAccountEvent('token revoked'),
  handlers: {
    async POST(context) {
      const userId = findOwnId(context)
      const id = readId(context.requestBody)
      if (id === undefined) throw new NotFound()
      await database.transaction(async connection => {
        if (tokenKind === 'single') return tokens.revokeAll(userId, connection)
        const own = accountsKysely(connection).deleteFrom('named_tokens').where('user_id', '=', userId)
        await own
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirstOrThrow(() => new NotFound())
      })
      return redirectTo(listPath)
    },
  },
})

async function makeToken({ database, tokens, tokenKind }: OwnAccountOptions, context: HandlerContext): Promise<string> {
  const id = findOwnId(context)
  const values = await readBody(tokens.fields, context)
  return database.transaction(async connection =>
    tokenKind === 'single' ? tokens.reissue(id, connection) : (await tokens.issue(id, values, connection)).token,
  )
}

async function readTokens({ database, tokenKind }: OwnAccountOptions, userId: number): Promise<readonly OwnToken[]> {
  const time = (column: string) => sql`${database.dialect.dateTime(sql.ref(column))} as ${sql.ref(column)}`
  const query =
    tokenKind === 'single'
      ? sql<OwnToken>`select user_id as id, '' as name, ${time('created')}, null as expires, null as last_used from tokens where user_id = ${userId}`
      : sql<OwnToken>`select id, name, ${time('created')}, ${time('expires')}, ${time('last_used')} from named_tokens where user_id = ${userId} order by id desc limit ${sql.lit(maxTokens)}`
  return (await query.execute(database.kysely)).rows
}

const maxTokens = 1000

const newToken = (token: string, words: Words): string =>
  html`<div class="notice" role="status">!${copyLine('Token', token, words)}<p>${words('page.once')}</p></div>
`

const timeCell = (value: string | null, language: string): string =>
  `<td>${value === null ? '&ndash;' : timeHtml(value, language)}</td>`

const singleColumns = [
  {
    heading: 'account.since',
    cell: ({ created }: OwnToken, language: string) => html`<th scope="row">!${timeHtml(created, language)}</th>`,
  },
] as const

const namedColumns = [
  { heading: 'account.name', cell: ({ id, name }: OwnToken) => html`<th scope="row"><bdi>${name || id}</bdi></th>` },
  { heading: 'account.since', cell: ({ created }: OwnToken, language: string) => timeCell(created, language) },
  { heading: 'account.expires', cell: ({ expires }: OwnToken, language: string) => timeCell(expires, language) },
  {
    heading: 'account.last_used',
    cell: ({ last_used: lastUsed }: OwnToken, language: string) => timeCell(lastUsed, language),
  },
] as const

interface TableParts {
  readonly tokenKind: TokenKind
  readonly words: Words
  readonly hiddenHtml: string
  readonly revokePath: string
}

function tokenTable(tokens: readonly OwnToken[], { tokenKind, words, hiddenHtml, revokePath }: TableParts): string {
  const { text } = words
  if (tokens.length === 0) return html`<p class="empty">${text(accountMessages('account.no_tokens'))}</p>`
  const columns = tokenKind === 'single' ? singleColumns : namedColumns
  const headings = [...columns.map(({ heading }) => text(accountMessages(heading))), words('page.actions')]
  const revoke = (id: number) =>
    html`<td><form method="post" action="${revokePath}">!${hiddenHtml}<input type="hidden" name="id" value="${id}"><button>${text(accountMessages('account.revoke'))}</button></form></td>`
  const row = (
    token: OwnToken,
  ) => html`<tr>!${columns.map(({ cell }) => cell(token, words.language))}!${revoke(token.id)}</tr>
`
  return html`<div class="table" role="region" aria-label="${words('page.my_tokens')}" tabindex="0"><table>
<thead><tr>!${headings.map(heading => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
!${tokens.map(row)}</tbody>
</table></div>
`
}

function makeForm(
  { tokenKind }: OwnAccountOptions,
  hasToken: boolean,
  { words: { text }, hiddenHtml }: Pick<TableParts, 'words' | 'hiddenHtml'>,
): string {
  const isReplaced = tokenKind === 'single' && hasToken
  const nameField =
    tokenKind === 'single'
      ? ''
      : html`<p class="field"><label for="name">${text(accountMessages('account.name'))}</label>
<input id="name" name="name" maxlength="100" autocomplete="off"></p>
`
  return html`<form class="action" method="post">
!${hiddenHtml}!${nameField}!${isReplaced ? html`<p class="help">${text(accountMessages('account.replaces'))}</p>` : ''}<p class="send"><button class="primary">${text(accountMessages('action.make_token'))}</button></p>
</form>
`
}
