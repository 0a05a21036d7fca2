// Renders a page that does not show an API response, in the same frame as the others.

import { joinLayers, type RenderContext, type RenderedBody, type View } from '#core'
import { readLoginState } from './frame/login-state.ts'
import { findHome, renderFrame } from './frame/render-frame.ts'
import { createWords, describeLanguage } from './html/words.ts'
import type { BrowsableOptions } from './page/browsable-options.ts'
import { findFrameContext } from './page/frame-caller.ts'
import type { PageBody } from './page/page-body.ts'

export async function renderPageBody(
  body: PageBody,
  rendered: RenderContext<View>,
  site: BrowsableOptions,
): Promise<RenderedBody> {
  const words = createWords(rendered.view, rendered.request)
  const context = { ...rendered, words, frameContext: await findFrameContext(rendered) }
  const { account, setCookie } = readLoginState(context, site.login)
  const { heading, mainHtml, above, railHtml } = body
  const home = { text: words('page.home'), href: findHome(rendered.view, site) }
  const breadcrumbs = [home, ...above.filter(({ href }) => href !== home.href), { text: heading, href: '' }]
  const parts = { heading, mainHtml, account, breadcrumbs, ...(railHtml !== undefined && { railHtml }) }
  const text = await renderFrame(context, parts, site)
  return {
    body: text,
    headers: {
      ...describeLanguage(words, joinLayers(rendered.headers)),
      ...(setCookie !== undefined && { 'set-cookie': [setCookie] }),
    },
  }
}
