// The resources and the operations of the reference, at the left of its pages.

import { html } from 'ghtml'
import type { Words } from '../html/words.ts'
import type { Reference, ReferencePage } from './reference.ts'
import { maxListed, type ReferenceUrls } from './reference-pages.ts'

/** The tree, with the operations of the current page. With many pages, it has only that one. */
export function referenceTree(
  { pages }: Reference,
  urls: ReferenceUrls,
  words: Words,
  current: ReferencePage | undefined,
): string {
  const listed = pages.length > maxListed ? pages.filter(page => page === current) : pages
  const prefixes = new Set(listed.flatMap(({ title }) => findPrefix(title) ?? []))
  const groups = Map.groupBy(listed, ({ title }) => findPrefix(title) ?? (prefixes.has(title) ? title : ''))
  return html`<details class="rail tree"><summary>${words('page.menu')}</summary>
<nav aria-label="${words('reference.name')}">
<h2><a href="${urls.root}" !${current === undefined ? 'aria-current="true"' : ''}>${words('reference.name')}</a></h2>
!${[...groups].map(([prefix, members]) => groupHtml(prefix, members, urls, current))}</nav></details>
`
}

const findPrefix = (title: string): string | undefined => /^(.*) \/ /.exec(title)?.[1]

function groupHtml(
  prefix: string,
  members: readonly ReferencePage[],
  { toPage }: ReferenceUrls,
  current: ReferencePage | undefined,
): string {
  const link = (page: ReferencePage) =>
    html`<a href="${toPage(page.slug)}" !${page === current ? 'aria-current="true"' : ''}>${page.title.split(' / ').at(-1)!}</a>`
  const operations = (page: ReferencePage) =>
    page === current
      ? html`<ul>!${page.operations.map(({ anchor, method, operation }) => html`<li><a href="#${anchor}"><b class="method ${method.toLowerCase()}">${method}</b>${operation.summary}</a></li>`)}</ul>`
      : ''
  const own = members.find(({ title }) => title === prefix)
  const below = members.filter(page => page !== own)
  const heading = prefix === '' ? '' : html`<h2>!${own === undefined ? html`${prefix}` : link(own)}</h2>`
  return html`!${heading}!${own === undefined ? '' : operations(own)}<ul>!${below.map(page => html`<li>!${link(page)}!${operations(page)}</li>`)}</ul>
`
}
