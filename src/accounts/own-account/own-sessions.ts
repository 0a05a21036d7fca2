// The page with the caller's sessions, and the view that ends them.

import { html } from 'ghtml'
import { sql } from 'kysely'
import { type HandlerContext, NotFound, readCookie, type ViewOptions } from '#core'
import { timeHtml, type Words } from '#pages'
import { defineAccountEvent } from '../audit/account-events.ts'
import { accountMessages } from '../messages.ts'
import { hashId } from '../sessions.ts'
import { accountsKysely } from '../tables.ts'
import { findOwnId, type OwnAccountOptions, redirectTo, sharedOptions, showPage } from './account-page.ts'
import { readId } from './read-id.ts'

interface OwnSession {
  readonly id: number
  readonly created: string
  readonly isCurrent: boolean
}

/** `GET` lists the sessions. `endPath`: the path of the view that ends them. */
export const ownSessions = (options: OwnAccountOptions, endPath: string): ViewOptions => ({
  ...sharedOptions,
  name: 'Sessions',
  handlers: {
    async GET(context) {
      const sessions = await readSessions(options, context)
      return showPage(options, context, (words, hiddenHtml) => ({
        heading: words('page.my_sessions'),
        mainHtml: sessionTable(
          sessions,
          words,
          (content: string, label) =>
            html`<form method="post" action="${endPath}">!${hiddenHtml}!${content}<button>${label}</button></form>`,
        ),
      }))
    },
  },
})

/** `POST` ends the session with the given `id`, or without one all but the caller's current session. */
export const endOwnSessions = (options: OwnAccountOptions, listPath: string): ViewOptions => ({
  ...sharedOptions,
  name: 'End sessions',
  auditEvent: defineAccountEvent('session ended'),
  handlers: {
    async POST(context) {
      const id = readId(context.requestBody)
      await options.database.transaction(async connection => {
        const own = accountsKysely(connection).deleteFrom('sessions').where('user_id', '=', findOwnId(context))
        const ended = await (id === undefined
          ? own.where('digest', '!=', findDigest(options, context))
          : own.where('id', '=', id)
        )
          .returning('id')
          .execute()
        if (id !== undefined && ended.length === 0) throw new NotFound()
      })
      return redirectTo(listPath)
    },
  },
})

const findDigest = ({ csrf }: OwnAccountOptions, { request }: HandlerContext): string =>
  hashId(readCookie(request, csrf.sessionCookie) ?? '')

async function readSessions(options: OwnAccountOptions, context: HandlerContext): Promise<readonly OwnSession[]> {
  const { database, sessions } = options
  const { createdAfter, lastUsedAfter } = sessions.bounds()
  const { rows } = await sql<{
    id: number
    created: string
    digest: string
  }>`select id, digest, ${database.dialect.dateTime(sql.ref('created'))} as created from sessions where user_id = ${findOwnId(context)} and sessions.created > ${createdAfter} and last_used > ${lastUsedAfter} order by id desc limit ${sql.lit(maxSessions)}`.execute(
    database.kysely,
  )
  const current = findDigest(options, context)
  return rows.map(({ id, created, digest }) => ({ id, created, isCurrent: digest === current }))
}

const maxSessions = 100

function sessionTable(
  sessions: readonly OwnSession[],
  words: Words,
  form: (contentHtml: string, label: string) => string,
): string {
  const { text } = words
  const end = text(accountMessages('account.end'))
  const row = ({
    id,
    created,
    isCurrent,
  }: OwnSession) => html`<tr><th scope="row">!${timeHtml(created, words.language)}</th><td>!${isCurrent ? html`${text(accountMessages('account.this_session'))}` : form(html`<input type="hidden" name="id" value="${id}">`, end)}</td></tr>
`
  return html`<div class="table" role="region" aria-label="${words('page.my_sessions')}" tabindex="0"><table>
<thead><tr><th scope="col">${text(accountMessages('account.since'))}</th><th scope="col">${words('page.actions')}</th></tr></thead>
<tbody>
!${sessions.map(row)}</tbody>
</table></div>
!${sessions.some(({ isCurrent }) => !isCurrent) ? form('', text(accountMessages('account.end_others'))) : ''}`
}
