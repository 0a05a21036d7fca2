// The form of the query that a view declares for GET. It works without JavaScript.

import { html } from 'ghtml'
import {
  type Field,
  type Fields,
  findChoiceKind,
  listVisibleFields,
  type RenderContext,
  ValidationError,
  type View,
} from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageQuery, pageUrl } from '../page/page-url.ts'
import { fieldControls } from './field-controls.ts'

/** Whether the response is only missing the query that the view declares, so its page asks for it. */
export function asksForQuery({ view, request, error }: RenderContext<View>): boolean {
  const declared = view.descriptions.GET?.query
  if (declared === undefined || request.method !== 'GET' || !(error instanceof ValidationError)) return false
  const query = pageQuery({ request })
  return !Object.keys(declared).some(name => query.has(name))
}

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
!${controls}<p class="send"><button class="primary">${words('page.show_result')}</button></p>
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
