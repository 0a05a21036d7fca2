// What a text such as "deactivate mateo" asks for: an action by the beginning of its label, and objects by a search for the rest.

import type { RequestContext } from '#core'
import { listBulkActions } from '../bulk/bulk-actions.ts'
import type { Rail } from '../frame/rail.ts'
import { deletionParameter } from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import type { PageLink } from '../page/browsable-page.ts'
import { listSearchable, searchList } from './find-objects.ts'

const maxLists = 3
const maxLength = 40

/** Finds the actions, as links to their pages. It searches at most three lists. */
export async function findActions(
  text: string,
  context: RequestContext,
  rail: Rail,
  words: Words,
): Promise<readonly PageLink[]> {
  const [verb = '', ...others] = text.split(/\s+/)
  const rest = others.join(' ')
  if (verb.length < 3 || verb.length > maxLength || rest.length < 2) return []
  const links: PageLink[] = []
  let searched = 0
  for (const { section, entry } of listSearchable(rail, context)) {
    const own = { ...context, baseUrl: section.api.toBaseUrl(context.baseUrl), view: entry.view }
    const actions = await listBulkActions(entry.view, own, words)
    // An action that asks for a value is for several objects.
    const named = actions.filter(
      ({ label, asked }) => label.toLowerCase().startsWith(verb.toLowerCase()) && Object.keys(asked).length === 0,
    )
    if (named.length === 0) continue
    if (++searched > maxLists) break
    for (const object of await searchList(rest, context, section, entry, words))
      for (const { name, label, method } of object.href.includes('?') ? [] : named)
        links.push({
          text: `${label}: ${object.text}`,
          href: `${object.href}?${method === 'DELETE' ? deletionParameter : `action=${encodeURIComponent(name)}`}`,
        })
  }
  return links
}
