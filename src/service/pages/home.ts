// The home page: links to the service's APIs, and example requests. It replaces only the HTML of the root, not the
// JSON.

import { html } from 'ghtml'
import type { RequestContext } from '#core'
import type { PageContent, PageLink, Words } from '#pages'
import type { OpenProfile } from '../open-profiles.ts'
import type { Settings } from '../settings/settings.ts'
import { createShellExamples } from './shell-examples.ts'

/** The name of the root's view. */
export const homeName = 'Resource API'

/** The path of the service's root, as clients see it; begins and ends with a slash. */
export const formatHomePath = ({ publicUrl }: Pick<Settings, 'publicUrl'>): string =>
  `${URL.parse(publicUrl ?? '')?.pathname.replace(/\/$/, '') ?? ''}/`

export function homePage(
  settings: Settings,
  profiles: readonly OpenProfile[],
): (content: PageContent) => Promise<string> {
  return async ({ context, renderDefault }) => {
    const { requestContext } = context
    if (context.status !== 200 || context.request.method === 'OPTIONS' || requestContext === undefined)
      return renderDefault()
    const { user, baseUrl } = requestContext
    const credentials = {
      username: user.isAuthenticated ? user.username : 'USERNAME',
      password: 'PASSWORD',
      token: 'TOKEN',
    }
    const { words } = context
    const sections = listSections(settings, profiles, requestContext, words)
    return html`<p class="lead">${words('page.every_url')}</p>
<ul class="cards">!${sections.map(({ text, href, description }) => html`<li><a href="${href}">${text}</a><p>${description}</p></li>`)}</ul>
<section class="page-section" aria-labelledby="getting-started">
<h2 id="getting-started">${words('page.getting_started')}</h2>
!${createShellExamples({ settings, profiles }, baseUrl, credentials, words('page.get_token')).map(({ title, line }) => html`<p>${title}:</p><pre tabindex="0"><code>${line}</code></pre>`)}</section>
`
  }
}

interface Section extends PageLink {
  readonly description: string
}

function listSections(
  { adminPath }: Settings,
  profiles: readonly OpenProfile[],
  { user, baseUrl }: RequestContext,
  words: Words,
): readonly Section[] {
  const isShown = adminPath !== null && user.isAuthenticated && user.isStaff
  const administration = {
    text: 'Administration',
    href: `${baseUrl}${adminPath}`,
    description: words('page.administration'),
  }
  return [
    ...profiles.map(({ title, description, root }) => ({ text: title, description, href: baseUrl + root })),
    ...(isShown ? [administration] : []),
  ]
}
