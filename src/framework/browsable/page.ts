// One page: what stands on it, as values; and the layout that makes a document of them. A deployer may replace the
// layout, or what stands in the middle of the pages of one view.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import type { RequestContext } from '../context.ts'
import type { HeaderFields } from '../response.ts'

/** A link of the header. */
export interface PageLink {
  readonly text: string
  readonly href: string
}

/** What a page is made of; the parts that end in `Html` are HTML, all others are text. */
export interface BrowsablePage {
  readonly site: string
  readonly logo: string | undefined
  /** Where the name of the site leads. */
  readonly home: string
  readonly links: readonly PageLink[]
  readonly title: string
  /** From the root to this page. */
  readonly breadcrumbs: readonly PageLink[]
  readonly account: Account | undefined
  readonly mainHtml: string
  /** The URLs of the stylesheets and the script. */
  readonly styles: readonly string[]
  readonly script: string
}

/** Who is logged in, and how that is changed. */
export interface Account {
  readonly username: string | undefined
  readonly loginUrl: string
  readonly logoutUrl: string
  /** The CSRF token of the page's forms; undefined for a caller without a session. */
  readonly token: string | undefined
  /** Where to come back to. */
  readonly here: string
}

/** Makes the document of a page that is not an answer's, such as the login form, from its title and its middle. */
export type Frame = (context: RequestContext, title: string, mainHtml: string) => string

/** Header fields of every page: no script and no style but the service's own files, and shown in no frame. */
export const pageFields: HeaderFields = Object.freeze({
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

/** The document of a page. */
export function layout(page: BrowsablePage): string {
  const { site, logo, home, links, title, breadcrumbs, account, mainHtml, styles, script } = page
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>!${title === site ? '' : html`${title} &ndash; `}${site}</title>
!${styles.map(url => html`<link rel="stylesheet" href="${url}">`)}<script src="${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<nav aria-label="Site">
<a class="site" href="${home}">!${logo === undefined ? '' : html`<img src="${logo}" alt="" height="24"> `}${site}</a>
!${links.map(({ text, href }) => html`<a href="${href}">${text}</a>`)}!${account === undefined ? '' : accountHtml(account)}
</nav>
</header>
<main id="main" tabindex="-1">
<p class="notice" role="status" data-notice hidden></p>
!${breadcrumbsHtml(breadcrumbs)}!${mainHtml}
</main>
</body>
</html>
`
}

function breadcrumbsHtml(links: readonly PageLink[]): string {
  if (links.length < 2) return ''
  const items = links.map(({ text, href }, index) =>
    index === links.length - 1
      ? html`<li aria-current="page">${text}</li>`
      : html`<li><a href="${href}">${text}</a></li>`,
  )
  return html`<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>!${items}</ol></nav>`
}

function accountHtml({ username, loginUrl, logoutUrl, token, here }: Account): string {
  if (username === undefined)
    return html`<a class="account" href="${`${loginUrl}?next=${encodeURIComponent(here)}`}">Log in</a>`
  if (token === undefined) return html`<bdi class="account">${username}</bdi>`
  return html`<form class="account" method="post" action="${logoutUrl}">
<input type="hidden" name="${csrfField}" value="${token}"><input type="hidden" name="next" value="${here}">
<bdi>${username}</bdi> <button>Log out</button>
</form>`
}
