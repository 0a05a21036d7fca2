// The page that creates an object of a list: the list's URL with `?new`.

import { html } from 'ghtml'
import type { Form } from '#core'
import { anotherParameter } from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageQuery } from '../page/page-url.ts'

/** The parameter of the page. */
export const newParameter = 'new'

type Forms = Readonly<Record<string, Form>>

/** Whether the response is a list in which the caller may create objects. */
export const canCreate = ({ view, request, status }: PageContext, forms: Forms): boolean =>
  view.listMetadata !== undefined && request.method === 'GET' && status === 200 && forms.POST !== undefined

/** The heading of the page; undefined if the page is another one. */
export function findNewHeading(context: PageContext, forms: Forms): string | undefined {
  const isNew = canCreate(context, forms) && pageQuery(context).has(newParameter)
  return isNew ? formatNew(context) : undefined
}

/** The URL to which the form of the page is sent, or that of its button for another object. `pageUrl`: path and query of the page. */
export function formatNewUrl(pageUrl: string, isAnother: boolean): string {
  const [path, query] = pageUrl.split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.delete(anotherParameter)
  if (isAnother) parameters.set(anotherParameter, '')
  const shown = String(parameters).replace(/=(?=&|$)/g, '')
  return shown === '' ? path : `${path}?${shown}`
}

/** The link to the page. */
export const newLink = (context: PageContext): string =>
  html`<a class="button primary" href="${`${pagePath(context)}?${newParameter}`}">${formatNew(context)}</a>`

const formatNew = ({ view, words }: PageContext): string =>
  words('page.new', { name: formatInSentence(words.text(view.listMetadata!.title), words) })

/** A title inside a sentence: English titles are in lower case there, except abbreviations. */
export const formatInSentence = (title: string, { language }: Words): string =>
  language.startsWith('en') && /^\p{Lu}\P{Lu}/u.test(title) ? title.toLowerCase() : title
