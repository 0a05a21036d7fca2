// The HTML around the content of a page: the header, the rail, the breadcrumbs and the heading.

import { html } from 'ghtml'
import { csrfField, type Total } from '#core'
import { formatCount } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import type { Account, BrowsablePage, PageLink } from '../page/browsable-page.ts'
import { formatViewUrl } from '../saved-views/saved-views.ts'
import type { Rail, RailEntry, RailSection } from './rail.ts'

type HeaderParts = Pick<BrowsablePage, 'site' | 'logo' | 'home' | 'links' | 'account' | 'find' | 'words'>

export function headerHtml({ site, logo, home, links, account, find, words }: HeaderParts): string {
  return html`<header class="site-header">
<a class="site" href="${home}">!${logo === undefined ? '' : html`<img src="${logo}" alt="" height="24"> `}${site}</a>
!${find === undefined ? '' : findForm(find, words)}!${links.length === 0 ? '' : html`<nav class="links" aria-label="${words('page.links')}">!${links.map(({ text, href }) => html`<a href="${href}">${text}</a>`)}</nav>`}!${account === undefined ? '' : accountHtml(account, words)}
</header>
`
}

const findForm = ({ href, text, script }: NonNullable<BrowsablePage['find']>, words: Words): string =>
  html`<form class="find" role="search" action="${href}" !${script === undefined ? '' : html`data-script="${script}"`}><input type="search" name="q" value="${text}" placeholder="${words('page.find_hint')}" aria-label="${words('page.find')}" maxlength="200"></form>
`

function accountHtml({ username, loginUrl, logoutUrl, token, returnUrl, links }: Account, words: Words): string {
  if (username === undefined)
    return html`<a class="account button" href="${`${loginUrl}?next=${encodeURIComponent(returnUrl)}`}">${words('page.log_in')}</a>`
  const items = links.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>`)
  const logout =
    token === undefined
      ? ''
      : html`<li><form method="post" action="${logoutUrl}"><input type="hidden" name="${csrfField}" value="${token}"><input type="hidden" name="next" value="${returnUrl}"><button>${words('page.log_out')}</button></form></li>`
  if (items.length === 0 && logout === '') return html`<bdi class="account">${username}</bdi>`
  return html`<details class="account menu"><summary aria-label="${words('page.account', { name: username })}"><bdi>${username}</bdi></summary>
<ul>!${items}!${logout}</ul></details>`
}

type RailLinks = Pick<Rail, 'sections' | 'documents'>

/** Where the page is. */
export interface RailPlace {
  /** The URL of the page, or of the list that its object belongs to; undefined for other pages. */
  readonly current: string | undefined
  /** The saved view that the page shows. */
  readonly openView: number | undefined
  /** The numbers of objects of saved views, by their ids. */
  readonly totals: ReadonlyMap<number, Total>
}

/**
 * Beside the administration, the sections of other APIs are folded, because their lists may have the same names; on pages without a
 * section, such as the home page, all are open.
 */
export function railHtml({ sections, documents }: RailLinks, place: RailPlace, words: Words): string {
  if (sections.length + documents.length === 0) return ''
  const { current } = place
  const linkTo = ({ text, href }: PageLink, noteHtml = '') =>
    html`<a href="${href}"!${href === current ? ' aria-current="true"' : ''}>${text}!${noteHtml}</a>`
  const list = (links: readonly (PageLink & Partial<RailEntry>)[], formatNote?: (link: PageLink) => string) =>
    html`<ul>!${links.map(link => html`<li>!${linkTo(link, formatNote?.(link))}!${viewLinks(link, place, words)}</li>`)}</ul>`
  // Lists of several APIs may have the same name.
  const counts = Map.groupBy(
    sections.flatMap(({ entries }) => entries),
    ({ text }) => text,
  )
  const overview = words('page.overview')
  const isRepeated = (text: string) => text === overview || counts.get(text)!.length > 1
  const noteOf = (title: string) => (link: PageLink) =>
    link.text !== title && isRepeated(link.text) ? html` <small>${title}</small>` : ''
  const own = sections.find(({ href, entries }) => [href, ...entries.map(entry => entry.href)].includes(current))
  const isFolded = (section: RailSection) =>
    own !== undefined && section !== own && isAdministration(sections[0]!) && !isAdministration(section)
  const openSection = ({ title, href, entries }: RailSection) =>
    html`<h2>!${href === undefined ? html`${title}` : linkTo({ text: title, href })}</h2>!${list(entries, noteOf(title))}
`
  const foldedSection = ({ title, href, entries }: RailSection) => {
    const links = href === undefined ? entries : [{ text: overview, href }, ...entries]
    return html`<details><summary><h2>${title}</h2></summary>!${list(links, noteOf(title))}</details>
`
  }
  const groups = [
    ...sections.map(section => (isFolded(section) ? foldedSection(section) : openSection(section))),
    ...(documents.length === 0
      ? []
      : [
          html`<h2>${words('page.reference')}</h2>!${list(documents)}
`,
        ]),
  ]
  return html`<details class="rail"><summary>${words('page.menu')}</summary>
<nav aria-label="${words('page.site')}">
!${groups}</nav></details>
`
}

/** The most saved views that the rail shows below a list. */
const maxViews = 5
/** The most that it shows below the list that is open. */
const maxViewsOfOpenList = 50

function viewLinks({ href, savedViews = [] }: PageLink & Partial<RailEntry>, place: RailPlace, words: Words): string {
  const shown = savedViews.slice(0, href === place.current ? maxViewsOfOpenList : maxViews)
  if (shown.length === 0) return ''
  const items = shown.map(saved => {
    const total = place.totals.get(saved.id)
    const count =
      total === undefined
        ? ''
        : html` <span>${formatCount(total.count, words.language)}!${total.isExact ? '' : '+'}</span>`
    return html`<li><a href="${formatViewUrl(saved, href)}" !${saved.id === place.openView ? 'aria-current="page"' : ''}><bdi>${saved.name}</bdi>!${count}</a></li>`
  })
  return html`<ul class="saved-views">!${items}</ul>`
}

const isAdministration = ({ api }: RailSection): boolean => api.isAdministration

/** The links to the pages above this one; its own name is the heading. */
export function breadcrumbsHtml(links: readonly PageLink[], words: Words): string {
  const above = links.slice(0, -1)
  if (above.length === 0) return ''
  return html`<nav class="breadcrumbs" aria-label="${words('page.breadcrumbs')}"><ol>!${above.map(({ text, href }) => html`<li><a href="${href}"><bdi>${text}</bdi></a></li>`)}</ol></nav>
`
}

type HeadingParts = Pick<BrowsablePage, 'heading' | 'description' | 'tagsHtml' | 'actionsHtml'>

export const headingHtml = ({ heading, description, tagsHtml, actionsHtml }: HeadingParts): string =>
  html`<div class="heading"><h1 dir="auto">${heading}</h1>!${tagsHtml}!${description === '' ? '' : html`<p class="description">${description}</p>`}!${actionsHtml === '' ? '' : html`<div class="actions">!${actionsHtml}</div>`}</div>
`
