// The page that finds anything: the pages whose names match, and objects of the lists that the caller may open and search. It is
// the page of an API's root with `?q=`.

import { html } from 'ghtml'
import type { RequestContext } from '#core'
import type { Rail } from '../frame/rail.ts'
import type { Words } from '../html/words.ts'
import type { PageLink } from '../page/browsable-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageQuery } from '../page/page-url.ts'
import { type FoundList, findObjects } from './find-objects.ts'

/** The text to find; undefined if the page is not one that finds. */
export function readFindText(context: PageContext): string | undefined {
  const { view, request, status } = context
  if (view.path !== '/' || request.method !== 'GET' || status !== 200) return undefined
  const text = pageQuery(context).get('q')
  return text === null ? undefined : text.trim().slice(0, maxText)
}

const maxText = 200

/** The middle of the page. */
export async function findPage(text: string, context: RequestContext, rail: Rail, words: Words): Promise<string> {
  if (text === '') return html`<p class="empty">${words('page.find_empty')}</p>`
  const pages = findPages(text, rail)
  const lists = await findObjects(text, context, rail, words)
  if (pages.length === 0 && lists.length === 0)
    return html`<p class="empty"><strong>${words('page.found_none', { text })}</strong> ${words('page.found_none_hint')}</p>`
  return html`!${pages.length === 0 ? '' : resultList(words('page.found_pages'), pages, '')}!${lists.map(list => foundList(list, words))}`
}

function findPages(text: string, { sections, documents }: Rail): readonly PageLink[] {
  const searched = text.toLowerCase()
  const pages = sections.flatMap(({ title, href, entries }) => [
    ...(href !== undefined && title.toLowerCase().includes(searched) ? [{ text: title, href }] : []),
    ...entries
      .filter(entry => entry.text.toLowerCase().includes(searched))
      .map(entry => ({ text: `${entry.text} · ${title}`, href: entry.href })),
  ])
  return [...pages, ...documents.filter(document => document.text.toLowerCase().includes(searched))]
}

const foundList = ({ title, href, objects }: FoundList, words: Words): string =>
  resultList(title, objects, html`<p><a href="${href}">${words('page.found_all', { list: title })}</a></p>`)

const resultList = (title: string, links: readonly PageLink[], moreHtml: string): string => html`<section class="found">
<h2>${title}</h2>
<ul>!${links.map(({ text, href }) => html`<li><a href="${href}"><bdi>${text}</bdi></a></li>`)}</ul>
!${moreHtml}</section>
`
