// The form of the query that a view declares for GET. It works without JavaScript.

import { html } from 'ghtml'
import { type Field, type Fields, findChoiceKind, listVisibleFields, ValidationError } from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageUrl } from '../page/page-url.ts'
import { fieldControls } from './field-controls.ts'

/** The form, with the values of the page's URL and their errors; empty for a view that declares no query. */
export function queryForm(context: PageContext): string {
  const { view, request, requestContext, error, words } = context
  const declared = view.descriptions.GET?.query
  if (declared === undefined) return ''
  const { pathname, searchParams } = new URL(pageUrl(context), 'http://localhost')
  const errors: Readonly<Record<string, unknown>> =
    request.method === 'GET' && error instanceof ValidationError ? Object(error.detail) : {}
  const controls = fieldControls(
    listChoices(listVisibleFields(declared, requestContext), words),
    { values: name => searchParams.getAll(name), errors: name => [errors[name] ?? []].flat().map(String) },
    { idPrefix: 'query', pickers: new Map(), searchAction: undefined, words },
  )
  return html`<form class="query" method="get" action="${pathname}" aria-label="${words('reference.query')}" novalidate>
!${controls}<p class="send"><button>GET</button></p>
</form>
`
}

// An unchecked box would not be sent, which means the default of the field.
const listChoices = (fields: Fields, words: Words): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.kind.isCheckbox ? toChoice(field, words) : field]),
  )

function toChoice(field: Field, words: Words): Field {
  const choices = new Map([
    ['true', words('page.yes')],
    ['false', words('page.no')],
  ])
  return { ...field, kind: findChoiceKind(choices), choices }
}
