// The values beside the heading of an object that its actions switch on and off: `Active` beside *Deactivate*.

import { html } from 'ghtml'
import type { Form } from '#core'
import { listSwitches } from './forms/action-fields.ts'
import type { PageContext } from './page/page-context.ts'
import { readObject } from './page/read-data.ts'
import { formatBoolean } from './values/list-cells.ts'

interface ShownObject {
  readonly context: PageContext
  readonly body: unknown
  readonly forms: Readonly<Record<string, Form>>
}

/** The HTML of the values; empty if the caller cannot change the object. */
export function switchTags({ context, body, forms }: ShownObject): string {
  const { view, status, request, words } = context
  const { fields } = forms.PATCH ?? {}
  if (fields === undefined || status !== 200 || request.method !== 'GET') return ''
  const object = readObject(body, view.envelope)
  const tags = listSwitches(view)
    .filter(name => fields[name] !== undefined && typeof object[name] === 'boolean')
    .map(name => {
      const label = words.label(name, fields[name]!)
      const text = object[name] === true ? label : `${label}: ${formatBoolean(false, words)}`
      // Whether "Injured" is good or bad is not known. A value that objects have from the start is good.
      const colour = fields[name]!.default === true ? (object[name] === true ? ' on' : ' off') : ''
      return html`<span class="tag${colour}">${text}</span>`
    })
  return tags.join(' ')
}
