// The page on which people link their account with a person at a provider, and remove the link.

import { html } from 'ghtml'
import { type Connection, type HandlerContext, NotFound, PermissionDenied, readCookie, type ViewOptions } from '#core'
import { timeHtml, type Words } from '#pages'
import { defineAccountEvent } from '../audit/account-events.ts'
import { accountMessages } from '../messages.ts'
import { findOwnId, type OwnAccountOptions, redirectTo, sharedOptions, showPage } from '../own-account/account-page.ts'
import { readId } from '../own-account/read-id.ts'
import { accountsKysely } from '../tables.ts'
import type { ProviderFlows } from './provider-flow.ts'
import type { ProviderSettings } from './provider-settings.ts'

export interface OwnProvidersOptions extends Pick<OwnAccountOptions, 'database' | 'csrf' | 'frame'> {
  readonly providers: readonly ProviderSettings[]
  readonly flows: ProviderFlows
  /** The path of the page from the root of the server. */
  readonly path: string
}

interface Link {
  readonly id: number
  readonly issuer: string
  readonly subject: string
  readonly created: string
}

/** `GET` lists the links of the account; `POST` removes the one with the given `id`. */
export const ownProviders = (options: OwnProvidersOptions): ViewOptions => ({
  ...sharedOptions,
  name: 'Providers',
  auditEvent: defineAccountEvent({ POST: 'account changed' }),
  handlers: {
    async GET(context) {
      const links = await readLinks(options, findOwnId(context))
      return showPage(options, context, (words, hiddenHtml) => ({
        heading: words.text(accountMessages('provider.heading')),
        mainHtml: linkTable(links, options, words, hiddenHtml) + linkButtons(options, context, words),
      }))
    },
    async POST(context) {
      await options.database.transaction(connection => removeLink(context, connection))
      return redirectTo(options.path)
    },
  },
})

async function removeLink(context: HandlerContext, connection: Connection): Promise<void> {
  const [id, userId, tables] = [readId(context.requestBody), findOwnId(context), accountsKysely(connection)]
  // An update locks the row, so that two requests cannot remove the last two links.
  const lock = tables.updateTable('users').set({ id: userId }).where('id', '=', userId).returning('password')
  const user = await lock.executeTakeFirst()
  const own = await tables.selectFrom('provider_accounts').select('id').where('user_id', '=', userId).execute()
  if (!own.some(link => Number(link.id) === id)) throw new NotFound()
  if (user?.password === null && own.length === 1) throw new PermissionDenied(accountMessages('provider.last'))
  await tables.deleteFrom('provider_accounts').where('id', '=', id!).execute()
}

const readLinks = ({ database }: OwnProvidersOptions, userId: number): Promise<readonly Link[]> =>
  database.transaction(connection =>
    accountsKysely(connection)
      .selectFrom('provider_accounts')
      .select(['id', 'issuer', 'subject', 'created'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute(),
  )

function linkTable(
  links: readonly Link[],
  { providers }: OwnProvidersOptions,
  words: Words,
  hiddenHtml: string,
): string {
  const { text } = words
  if (links.length === 0)
    return html`<p>${text(accountMessages('provider.no_links'))}</p>
`
  const nameOf = (issuer: string) => {
    const provider = providers.find(candidate => candidate.issuer === issuer)
    return provider?.title ?? provider?.name ?? issuer
  }
  const remove = text(accountMessages('provider.unlink'))
  const row = ({
    id,
    issuer,
    subject,
    created,
  }: Link) => html`<tr><th scope="row">${nameOf(issuer)}</th><td><bdi>${subject}</bdi></td><td>!${timeHtml(created, words.language)}</td><td><form method="post">!${hiddenHtml}<input type="hidden" name="id" value="${id}"><button>${remove}</button></form></td></tr>
`
  return html`<div class="table" role="region" aria-label="${text(accountMessages('provider.heading'))}" tabindex="0"><table>
<thead><tr><th scope="col">${text(accountMessages('account.name'))}</th><th scope="col">${text(accountMessages('provider.subject'))}</th><th scope="col">${text(accountMessages('account.since'))}</th><th scope="col">${words('page.actions')}</th></tr></thead>
<tbody>
!${links.map(row)}</tbody>
</table></div>
`
}

// A caller without a session, such as one with a token, has no browser to send to a provider.
function linkButtons(
  { providers, flows, path, csrf }: OwnProvidersOptions,
  context: HandlerContext,
  { text }: Words,
): string {
  const session = readCookie(context.request, csrf.sessionCookie)
  if (session === undefined) return ''
  const token = flows.createLinkToken(findOwnId(context), session)
  return providers
    .map(({ name, title = name }) => {
      const href = `${path}${name}/login/?link=${token}`
      return html`<p><a class="button" href="${href}">${text(accountMessages('provider.link', { name: title }))}</a></p>
`
    })
    .join('')
}
