// The HTML page of a snippet: shows the highlighted code before the forms.

import { html } from 'ghtml'
import { clientPath } from '#core'
import type { PageContent } from '#pages'
import { isLightStyle } from './highlighting/styles.ts'

/**
 * The code is user input, so the page shows it in a sandboxed frame. A sandboxed frame cannot report the height of its
 * document, so the height is computed from the number of lines.
 */
export async function snippetPage({ context, body, renderDefault }: PageContent): Promise<string> {
  const { code, style } = Object(body) as Readonly<Record<string, unknown>>
  if (context.status !== 200 || typeof code !== 'string') return renderDefault()
  const lines = code.trimEnd().split(/\r\n?|\n/, 23).length
  const height = Math.min(32 + 20 * lines, 480)
  return renderDefault(html`<section class="page-section" aria-labelledby="code-title">
<h2 id="code-title">Highlighted code</h2>
<iframe class="highlighted-code!${isLightStyle(String(style)) ? ' light' : ''}" sandbox src="${`${clientPath(context)}highlight/`}" title="Highlighted code" height="${height}"></iframe>
</section>
`)
}
