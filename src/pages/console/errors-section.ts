// The errors that the requests of a view can get, with the body of each, as the caller's language has it.

import { html } from 'ghtml'
import {
  type Fields,
  frameworkMessages,
  hasOwnErrors,
  listStatuses,
  type MessageText,
  STATUS_CODES,
  type View,
} from '#core'
import { escapeContent } from '../html/escape-content.ts'
import { statusReasons } from '../html/status-reasons.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'

/** The section. */
export function errorsSection({ view, words }: Pick<PageContext, 'view' | 'words'>): string {
  const methods = [...view.handlers.keys()].filter(method => method !== 'OPTIONS' && method !== 'HEAD')
  const statusesByMethod = methods.map(method => {
    const errors = { usesDatabase: view.resource !== undefined }
    const statuses = listStatuses(view.forMethod(method), method, { errors })
    return [method, new Set([...Object.keys(statuses), ...listConflicts(view, method)])] as const
  })
  const statuses = [...new Set(statusesByMethod.flatMap(([, names]) => [...names]))].toSorted()
  return html`<details name="console" id="errors"><summary>${words('page.errors')}</summary>
<dl class="field-list">
!${statuses.map(status => {
    const some = statusesByMethod.filter(([, names]) => names.has(status)).map(([method]) => method)
    return statusHtml(status, some.length === methods.length ? [] : some, view, words)
  })}</dl></details>
`
}

// The states of stored objects that refuse a change.
function listConflicts({ resource, forms }: View, method: string): readonly string[] {
  const form = forms[method]
  if (resource === undefined || form === undefined) return []
  return ['409', ...(form.selectionParameters ? ['412'] : []), ...(form.requiresIfMatch ? ['428'] : [])]
}

function statusHtml(status: string, methods: readonly string[], view: View, words: Words): string {
  const body = hasOwnErrors(view) ? undefined : createBody(status, view, words)
  return html`<dt><b class="status">${status}</b> ${STATUS_CODES[Number(status)] ?? ''} !${methods.map(method => html`<b class="method ${method.toLowerCase()}">${method}</b> `)}</dt>
<dd><p>${words(statusReasons[status]!)}</p>!${body === undefined ? '' : html`<pre>!${escapeContent(JSON.stringify(body, null, 2))}</pre>`}</dd>
`
}

const details: Readonly<Record<string, MessageText>> = {
  401: frameworkMessages('not_authenticated'),
  403: frameworkMessages('permission_denied'),
  404: frameworkMessages('not_found'),
  406: frameworkMessages('not_acceptable'),
  409: frameworkMessages('conflict'),
  412: frameworkMessages('precondition_failed'),
  413: frameworkMessages('payload_too_large'),
  415: frameworkMessages('unsupported_media_type', { type: 'text/plain' }),
  428: frameworkMessages('precondition_required'),
  429: frameworkMessages('throttled.seconds', { seconds: 30 }),
  500: frameworkMessages('error'),
  503: frameworkMessages('service_unavailable'),
  507: frameworkMessages('insufficient_storage'),
}

function createBody(status: string, view: View, words: Words): unknown {
  const text = details[status]
  if (text !== undefined) return { detail: words.text(text) }
  const fields: Fields = Object.assign({}, ...Object.values(view.forms).map(form => form.fields))
  const [name] = Object.entries(fields).find(([, { required, readOnly }]) => required && !readOnly) ?? []
  return name === undefined
    ? { detail: words.text(frameworkMessages('bad_request')) }
    : { [name]: [words.text(frameworkMessages('required'))] }
}
