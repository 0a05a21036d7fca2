// The default layout, which renders the parts of a page as an HTML document. An application may replace it, or the main
// content of one view's pages.

import { html } from 'ghtml'
import type { HeaderFields } from '#core'
import type { BrowsablePage } from '../page/browsable-page.ts'
import { breadcrumbsHtml, headerHtml, headingHtml } from './frame-html.ts'

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
  const { title, breadcrumbs, railHtml, mainHtml, panelHtml, words, styles, scripts, icon } = page
  return html`<!DOCTYPE html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>!${html`${title}`.replaceAll('·', '&middot;')}</title>
<link rel="icon" href="${icon}">
!${styles.map(url => html`<link rel="stylesheet" href="${url}">`)}!${scripts.map(url => html`<script src="${url}" defer></script>`)}
</head>
<body !${railHtml === '' ? 'class="no-rail"' : ''}>
<a class="skip" href="#main">${words('page.skip')}</a>
!${headerHtml(page)}!${railHtml}<main id="main" tabindex="-1">
!${breadcrumbsHtml(breadcrumbs, words)}!${headingHtml(page)}<div class="columns !${panelHtml === '' ? 'no-panel' : ''}">
<div class="middle">
!${mainHtml}
</div>
!${
    panelHtml === ''
      ? ''
      : html`<details class="panel!${page.isPanelClosed ? ' closed' : ''}"><summary><h2>${words('page.api_request')}</h2></summary>
<div class="panel-body">
!${panelHtml}
</div></details>
`
  }</div>
</main>
</body>
</html>
`
}
