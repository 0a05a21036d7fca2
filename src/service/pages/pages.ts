// The pages of the service: the links to log in and out, the home page, and highlighted code on a snippet's page.

import { html } from 'ghtml'
import { type BrowsableOptions, browsable } from 'resource-api'
import { type PageContent, pagePath, type Renderer } from 'resource-api/extend'
import type { Settings } from '../settings/settings.ts'
import { formatHomePath, homeName, homePage } from './home.ts'

/** Creates the renderer of pages; the setting `pages` overrides the defaults. */
export function createPageRenderer(settings: Settings, login: BrowsableOptions['login']): Renderer {
  const { pages: pageSettings } = settings
  const home = formatHomePath(settings)
  return browsable({
    home,
    ...(login && { login }),
    ...pageSettings,
    pages: { [homeName]: homePage(settings), 'snippets-detail': snippetPage, ...pageSettings?.pages },
  })
}

// The code is user input, so the page shows it in a sandboxed frame. A sandboxed frame cannot report the height of its
// document, so the height is computed from the number of lines.
async function snippetPage({ context, body, renderDefault }: PageContent): Promise<string> {
  const { code } = Object(body) as Readonly<Record<string, unknown>>
  if (context.status !== 200 || typeof code !== 'string') return renderDefault()
  const lines = code.trimEnd().split(/\r\n?|\n/, 23).length
  const height = Math.min(32 + 20 * lines, 480)
  return renderDefault(html`<section class="page-section" aria-labelledby="code-title">
<h2 id="code-title">Highlighted code</h2>
<iframe class="highlighted-code" sandbox src="${`${pagePath(context)}highlight/`}" title="Highlighted code" height="${height}"></iframe>
</section>
`)
}
