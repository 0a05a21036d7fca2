// The page of an action, at the URL of its object with `?action=`: what the action does, and a form with the fields that it asks for.
// It works without a script, and a success redirects to the object.

import { html } from 'ghtml'
import { type Field, type Fields, findFile, isSecret, searchParameter, ValidationError } from '#core'
import { fieldControls } from '../forms/field-controls.ts'
import { enterButton, type FormContext, formatMethodUrl, shownInputs, tokenInput } from '../forms/forms.ts'
import { requestEditor } from '../forms/request-editor.ts'
import { actionParameter, repeatPrefix } from '../gateway/page-form.ts'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath, pageQuery } from '../page/page-url.ts'
import { createFormValues } from '../values/form-values.ts'
import type { OfferedAction } from './offered-actions.ts'

/** The name of the action whose page the caller has opened, or whose form was rejected; undefined for other pages. */
export const readActionName = (context: PageContext): string | undefined =>
  context.error === undefined || context.error instanceof ValidationError
    ? (pageQuery(context).get(actionParameter) ?? undefined)
    : undefined

/** The link to the page of an action, or its button if the action has nothing to ask or to say. */
export const actionButton = (
  action: OfferedAction,
  context: PageContext,
  formContext: Pick<FormContext, 'csrfToken' | 'match'>,
): string =>
  action.values !== undefined && action.description === ''
    ? actionForm(action, actionUrl(action, context), '', formContext)
    : html`<a class="button!${action.method === 'DELETE' ? ' danger' : ''}" href="${pagePath(context)}?${actionParameter}=${action.name}">${action.label}&hellip;</a>`

/** The middle of the page. */
export function actionPage(action: OfferedAction, context: PageContext, formContext: FormContext): string {
  const { words } = context
  const { label, description, method, form } = action
  const fields = repeatSecrets(form.fields, words)
  const formValues = createFormValues(method, fields, formContext)
  const errors = formValues.errors('')
  const url = actionUrl(action, context)
  const controls = fieldControls(fields, formValues, {
    ...formContext,
    searchAction: formatSearchAction(url, method, formContext.match),
    searchUrl: `${pagePath(context)}?${actionParameter}=${action.name}`,
    idPrefix: 'action',
  })
  const contentHtml = html`!${enterButton(formContext)}<div role="alert"><ul class="errors" data-errors !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul></div>
!${method === 'POST' ? '' : shownInputs(fields)}!${controls}<p class="send"><button class="!${method === 'DELETE' ? 'danger' : 'primary'}">${label}</button> <a class="button" href="${pagePath(context)}">${words('page.cancel')}</a></p>
`
  return html`!${
    description === ''
      ? ''
      : html`<p class="lead">${description}</p>
`
  }!${form.takesAny ? requestEditor(method, form, { body: undefined, url: action.path, formContext }) : actionForm(action, url, contentHtml, formContext)}`
}

// The page of the action comes back with what was found.
const formatSearchAction = (url: string, method: string, match: string | undefined): string =>
  `${formatMethodUrl(url, method, method === 'POST' ? undefined : match)}&${searchParameter}=`

// A rejected change shows the page of the action, and the notice after a success names it.
const actionUrl = ({ path, name }: OfferedAction, context: PageContext): string =>
  path === pagePath(context) ? `${path}?${actionParameter}=${name}` : path

function actionForm(
  { method, label, form, values = {} }: OfferedAction,
  url: string,
  contentHtml: string,
  { csrfToken, match }: Pick<FormContext, 'csrfToken' | 'match'>,
): string {
  const inputs = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  )
  const hasFiles = Object.values(form.fields).some(field => findFile(field) !== undefined)
  return html`<form class="action" method="post" action="${formatMethodUrl(url, method, method === 'POST' ? undefined : match)}" !${hasFiles ? 'enctype="multipart/form-data"' : ''} autocomplete="off">
!${tokenInput(csrfToken)}!${inputs}!${contentHtml === '' ? html`<button>${label}</button>` : contentHtml}</form>
`
}

// A secret that was mistyped could not be read anywhere.
function repeatSecrets(fields: Fields, words: Words): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): readonly (readonly [string, Field])[] => {
      if (!isSecret(field)) return [[name, field]]
      const required = { ...field, required: true }
      const again = { ...required, help: undefined, label: words('page.again', { name: words.label(name, field) }) }
      return [
        [name, required],
        [repeatPrefix + name, again],
      ]
    }),
  )
}
