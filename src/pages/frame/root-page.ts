// The middle of an API's own page: its resources, with those that the caller may open as links.

import { html } from 'ghtml'
import type { Words } from '../html/words.ts'
import type { RailEntry, RailSection } from './rail.ts'

/** The cards of the lists that the caller may open; a text if there are none. */
export function resourceCards(sections: readonly RailSection[], words: Words): string {
  if (sections.length === 0) return html`<p class="empty">${words('page.no_resources')}</p>`
  return cards(sections.flatMap(({ entries }) => entries))
}

const cards = (entries: readonly RailEntry[]): string =>
  html`<ul class="cards">!${entries.map(({ text, href, description }) => html`<li><a href="${href}">${text}</a>!${description === '' ? '' : html`<p>${description}</p>`}</li>`)}</ul>
`
