// The page of the root: what there is, and how to begin. Its JSON is the same as ever.

import { html } from 'ghtml'
import type { Shown } from '../../framework/browsable/browsable.ts'
import type { PageLink } from '../../framework/browsable/page.ts'
import { formatUrl } from '../../framework/browsable/toolbar.ts'
import type { Settings } from '../settings/settings.ts'
import { firstRequests } from './first-requests.ts'

/** The name of the root's view. */
export const homeName = 'Resource API'

/** The path of the service as its clients see it. */
export const homeOf = ({ publicUrl }: Pick<Settings, 'publicUrl'>): string =>
  `${URL.parse(publicUrl ?? '')?.pathname.replace(/\/$/, '') ?? ''}/`

const profiles: Readonly<Record<string, Pick<Place, 'text' | 'description'>>> = {
  directory: { text: 'Directory', description: 'Users and groups, for everyone who is logged in.' },
  snippets: { text: 'Snippets', description: 'Pieces of code, highlighted: anyone reads them, users add their own.' },
}

export function homePage(settings: Settings): (shown: Shown) => Promise<string> {
  const { adminPath, tokenPath } = settings
  return async ({ context, body, packaged }) => {
    const { requestContext } = context
    if (context.status !== 200 || context.request.method === 'OPTIONS' || requestContext === undefined)
      return packaged()
    const { user, baseUrl } = requestContext
    const json = formatUrl(context, 'json')
    const begin = { username: user.isAuthenticated ? user.username : 'USERNAME', password: 'PASSWORD', token: 'TOKEN' }
    const places: readonly Place[] = [
      ...Object.entries(Object(body) as Record<string, string>).map(([name, href]) => ({ ...profiles[name]!, href })),
      ...(adminPath !== null && user.isAuthenticated && user.isStaff
        ? [{ text: 'Administration', href: baseUrl + adminPath, description: 'Accounts, and what belongs to them.' }]
        : []),
      { text: 'Token', href: baseUrl + tokenPath, description: 'A key for programs, for a user name and a password.' },
    ]
    return html`<h1>${homeName}</h1>
<p>Every URL is a page for people, and JSON for programs!${json === undefined ? '' : html`: <a href="${json}">this one as JSON</a>`}.</p>
<dl>!${places.map(({ text, href, description }) => html`<dt><a href="${href}">${text}</a></dt><dd>${description}</dd>`)}</dl>
<section class="write" aria-labelledby="begin">
<h2 id="begin">How to begin</h2>
!${firstRequests(settings, baseUrl, begin).map(({ title, line }) => html`<p>${title}:</p><pre tabindex="0"><code>${line}</code></pre>`)}</section>
`
  }
}

interface Place extends PageLink {
  readonly description: string
}
