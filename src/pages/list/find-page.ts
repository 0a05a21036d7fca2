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
import { findActions } from './found-actions.ts'

/** The text to find; undefined if the page is not one that finds. */
export function readFindText(context: PageContext): string | undefined {
  const { view, request, status } = context
  if (view.path !== '/' || request.method !== 'GET' || status !== 200) return undefined
  const text = pageQuery(context).get('q')
  return text === null ? undefined : text.trim().slice(0, maxText)
}

const maxText = 200

/** The parameter with which the script asks for suggestions. */
const suggestParameter = '_suggest'

/** Whether the script asks for suggestions instead of the page. */
export const asksForSuggestions = (context: PageContext): boolean => pageQuery(context).has(suggestParameter)

const minSuggested = 2
const maxSuggested = 12
/** How many lists the suggestions for one text search. The page searches more. */
const maxSearched = 6

/** A link, and what it leads to. */
interface Suggestion extends PageLink {
  readonly kind: string
}

/** The suggestions for a text: actions, pages, and objects. */
export async function listSuggestions(
  text: string,
  context: RequestContext,
  rail: Rail,
  words: Words,
): Promise<readonly Suggestion[]> {
  if (text.length < minSuggested) return []
  const actions = await findActions(text, context, rail, words)
  const pages = findPages(text, rail)
  const bounds = { lists: maxSearched, objects: maxSuggested - pages.length }
  const lists = actions.length > 0 ? [] : await findObjects(text, context, rail, words, bounds)
  return [
    ...actions.map(link => ({ ...link, kind: words('page.found_action') })),
    ...pages.map(link => ({ ...link, kind: words('page.found_page') })),
    ...lists.flatMap(({ title, objects }) => objects.map(link => ({ ...link, kind: title }))),
  ]
}

/** Suggestions as options. */
export const suggestionOptions = (suggestions: readonly Suggestion[]): string =>
  `${suggestions.slice(0, maxSuggested).map(suggestionOption).join('')}\n`

const suggestionOption = ({ text, href, kind }: Suggestion, index: number): string =>
  html`<a role="option" id="suggestion-${index}" aria-selected="false" tabindex="-1" href="${href}"><bdi>${text}</bdi> <small>${kind}</small></a>`

/** The option that the script fills in for each object that this browser has opened last. */
export const openedTemplate = (words: Words): string =>
  html`<template>!${suggestionOption({ text: '', href: '', kind: words('page.opened') }, 0)}</template>`

/** The middle of the page. `recent`: the objects that it shows if there is no text. */
export async function findPage(
  text: string,
  context: RequestContext,
  rail: Rail,
  words: Words,
  recent: readonly PageLink[],
): Promise<string> {
  if (text === '')
    return html`<p class="empty">${words('page.find_empty')}</p>!${recent.length === 0 ? '' : resultList(words('page.recent'), recent, '')}`
  const actions = await findActions(text, context, rail, words)
  const pages = findPages(text, rail)
  const lists = await findObjects(text, context, rail, words)
  if (actions.length + pages.length + lists.length === 0)
    return html`<p class="empty"><strong>${words('page.found_none', { text })}</strong> ${words('page.found_none_hint')}</p>`
  return html`!${actions.length === 0 ? '' : resultList(words('page.found_actions'), actions, '')}!${pages.length === 0 ? '' : resultList(words('page.found_pages'), pages, '')}!${lists.map(list => foundList(list, words))}`
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
