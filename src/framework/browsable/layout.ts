// The parts of a page as values, and the default layout, which renders them as an HTML document. An application may
// replace the layout, or the main content of one view's pages.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import type { RequestContext } from '../context.ts'
import type { HeaderFields } from '../response.ts'

/** A link in the header or the breadcrumbs. */
export interface PageLink {
  readonly text: string
  readonly href: string
}

/** The parts of a page. Parts whose names end in `Html` are HTML; all others are text, which a layout must escape. */
export interface BrowsablePage {
  /** The name of the site. */
  readonly site: string
  /** The URL of the logo. */
  readonly logo: string | undefined
  /** The URL that the name of the site links to. */
  readonly home: string
  readonly links: readonly PageLink[]
  readonly title: string
  /** Links from the root of the API to this page. */
  readonly breadcrumbs: readonly PageLink[]
  /** Undefined if the view does not use sessions. */
  readonly account: Account | undefined
  readonly mainHtml: string
  /** The URLs of the stylesheets and the script. */
  readonly styles: readonly string[]
  readonly script: string
}

/** The user who is logged in, and the URLs to log in and out. */
export interface Account {
  /** Undefined if the caller is anonymous. */
  readonly username: string | undefined
  readonly loginUrl: string
  readonly logoutUrl: string
  /** The CSRF token of the page's forms; undefined if the caller has no session. */
  readonly token: string | undefined
  /** Path and query of this page; a login or logout redirects to it. */
  readonly returnUrl: string
}

/** Renders a page that does not show an API response, such as the login form, in the layout. */
export type PageFrame = (context: RequestContext, title: string, mainHtml: string) => string

/** Response headers of every page: only the service's own scripts and styles load, and no site may frame the page. */
export const pageHeaders: HeaderFields = Object.freeze({
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

/** The default layout: renders a page as an HTML document. */
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
<a class="skip" href="#main">Skip to content</a>
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

function accountHtml({ username, loginUrl, logoutUrl, token, returnUrl }: Account): string {
  if (username === undefined)
    return html`<a class="account" href="${`${loginUrl}?next=${encodeURIComponent(returnUrl)}`}">Log in</a>`
  if (token === undefined) return html`<bdi class="account">${username}</bdi>`
  return html`<form class="account" method="post" action="${logoutUrl}">
<input type="hidden" name="${csrfField}" value="${token}"><input type="hidden" name="next" value="${returnUrl}">
<bdi>${username}</bdi> <button>Log out</button>
</form>`
}
