// The pages of the service: its name, where one logs in, and a snippet's highlighted code on its page.

import { html } from 'ghtml'
import { browsable, type Shown } from '../../framework/browsable/browsable.ts'
import { pagePath } from '../../framework/browsable/page-url.ts'
import type { Renderer } from '../../framework/renderers/renderer.ts'
import type { Authentication } from '../apis/authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { homeName, homeOf, homePage } from './home.ts'

/** The renderer of pages, with what the deployer says of them. */
export function pagesOf(settings: Settings, { csrf, views }: Authentication): Renderer {
  const { loginPath, pages: own } = settings
  const home = homeOf(settings)
  const root = home.slice(0, -1)
  const loginViews = Object.keys(views).length > 0 && loginPath !== null
  return browsable({
    home,
    ...(loginViews && {
      login: { loginPath: `${root}${loginPath}login/`, logoutPath: `${root}${loginPath}logout/`, csrf },
    }),
    ...own,
    pages: { [homeName]: homePage(settings), 'snippets-detail': snippetPage, ...own?.pages },
  })
}

// In a frame of its own, and sandboxed: the document is the highlighter's, its contents are a user's. A frame cannot say
// how high its document is, but it is known how many lines that has.
async function snippetPage({ context, body, packaged }: Shown): Promise<string> {
  const { code } = Object(body) as Readonly<Record<string, unknown>>
  if (context.status !== 200 || typeof code !== 'string') return packaged()
  const lines = code.trimEnd().split(/\r\n?|\n/, 23).length
  const height = Math.min(32 + 20 * lines, 480)
  return packaged(html`<section class="write" aria-labelledby="code-title">
<h2 id="code-title">Highlighted</h2>
<iframe class="framed" sandbox src="${`${pagePath(context)}highlight/`}" title="Highlighted code" height="${height}"></iframe>
</section>
`)
}
