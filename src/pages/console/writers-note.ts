// Says who may change an object that the caller may only read.

import { html } from 'ghtml'
import type { Form } from '#core'
import type { PageContext } from '../page/page-context.ts'
import { describeAudience } from './fields-section.ts'

/** The HTML of the note; empty if nobody may change the object, or if its permissions do not say who may. */
export function writersNote(
  { view, requestContext, words }: PageContext,
  forms: Readonly<Record<string, Form>>,
): string {
  const method = ['PATCH', 'PUT'].find(name => view.handlers.has(name))
  if (method === undefined || view.objectMetadata === undefined || requestContext === undefined) return ''
  if (forms.PATCH !== undefined || forms.PUT !== undefined) return ''
  const own = view.forMethod(method)
  // That callers must be logged in says nothing about this object.
  const named = own.permissions.filter(({ audience }) => audience !== undefined)
  const who = new Set(
    named.flatMap(permission => describeAudience(permission, { ...requestContext, view: own, method }, words)),
  )
  if (who.size === 0) return ''
  return html`<p class="help">${words('page.who_may_change', { who: [...who].join(' \u00b7 ') })}</p>
`
}
