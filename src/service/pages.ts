// The pages of the service: its name, where one logs in, and a snippet's highlighted code on its page.

import { html } from 'ghtml'
import { browsable, type Shown } from '../framework/browsable/browsable.ts'
import type { Renderer } from '../framework/renderers/renderer.ts'
import type { Authentication } from './authentication.ts'
import type { Settings } from './settings.ts'

/** The renderer of pages, with what the deployer says of them. */
export function pagesOf(settings: Settings, { csrf, views }: Authentication): Renderer {
  const { loginPath, publicUrl, pages: own } = settings
  const root = URL.parse(publicUrl ?? '')?.pathname.replace(/\/$/, '') ?? ''
  const loginViews = Object.keys(views).length > 0 && loginPath !== null
  return browsable({
    ...(loginViews && {
      login: { loginPath: `${root}${loginPath}login/`, logoutPath: `${root}${loginPath}logout/`, csrf },
    }),
    ...own,
    pages: { 'Snippet Instance': snippetPage, ...own?.pages },
  })
}

// In a frame of its own, and sandboxed: the document is the highlighter's, its contents are a user's.
async function snippetPage({ exchange, packaged }: Shown): Promise<string> {
  const main = await packaged()
  if (exchange.status !== 200) return main
  const path = exchange.request.url.split('?', 1)[0]
  return `${main}${html`<section class="write" aria-labelledby="code-title">
<h2 id="code-title">Highlighted</h2>
<iframe class="framed" sandbox src="${`${path}highlight/`}" title="Highlighted code" loading="lazy"></iframe>
</section>`}`
}
