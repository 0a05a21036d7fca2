// What can be done on a page beside its forms: read it again, in other formats, ask what it takes, go to what stands
// below it, delete it. Only what this caller may do.

import { html } from 'ghtml'
import { mayUse } from '../describe-view.ts'
import type { Form } from '../metadata.ts'
import type { PageContext } from './page-context.ts'
import { pagePath, pageUrl } from './page-url.ts'

/** The page in another format; undefined where a deployer has no parameter for that. */
export function formatUrl(context: PageContext, format: string): string | undefined {
  const { formatParam } = context.view
  if (formatParam === null) return undefined
  const [path, query] = pageUrl(context).split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.set(formatParam, format)
  return `${path}?${parameters}`
}

export async function toolbar(context: PageContext, forms: Readonly<Record<string, Form>>): Promise<string> {
  const { view, requestContext } = context
  const formats = view.renderers.filter(({ format }) => format !== 'api')
  const path = pagePath(context)
  const below = await allowedBelow(context)
  return html`<div class="toolbar" role="group" aria-label="Actions">
!${view.handlers.has('GET') ? html`<a href="${pageUrl(context)}">GET</a>` : ''}!${formats.map(({ format }) => formatLink(formatUrl(context, format), format))}
!${requestContext === undefined ? '' : html`<button type="button" data-options="${path}" data-script hidden>OPTIONS</button>`}
!${below.map(name => html`<a href="${`${path}${name}/`}">${name}</a>`)}!${forms.DELETE ? deleteHtml(path) : ''}
</div>
`
}

const formatLink = (url: string | undefined, format: string): string =>
  url === undefined ? '' : html` <a href="${url}">${format.toUpperCase()}</a>`

async function allowedBelow({ view, requestContext, status }: PageContext): Promise<readonly string[]> {
  if (requestContext === undefined || status >= 400) return []
  const answers = await Promise.all(
    view.children.map(async name => {
      const found = view.viewAt(`${view.path}${name}/`)
      return found !== undefined && (await mayUse(requestContext, found))
    }),
  )
  return view.children.filter((_, index) => answers[index])
}

const deleteHtml = (
  path: string,
): string => html`<button type="button" class="danger" data-open="delete" data-script hidden>DELETE</button>
<dialog id="delete" aria-labelledby="delete-title" aria-describedby="delete-text">
<h2 id="delete-title">Delete this?</h2>
<p id="delete-text"><code>${path}</code> cannot be brought back.</p>
<form method="dialog">
<ul class="errors" data-errors tabindex="-1" hidden></ul>
<button value="no">Keep it</button> <button type="button" class="danger" data-delete="${path}">Delete it</button>
</form>
</dialog>`
