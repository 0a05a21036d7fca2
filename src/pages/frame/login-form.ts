// The login form, which works without JavaScript: the login page shows it, and so does every page that needs a login.

import { html } from 'ghtml'
import { csrfField } from '#core'
import { type KeptForm, keptInputs } from '../gateway/kept-form.ts'
import type { Words } from '../html/words.ts'
import type { LoginLink } from '../page/browsable-page.ts'

/** The data that the form shows. */
export interface LoginForm {
  /** The URL of the login view; undefined for the URL of the page, even if a proxy changes paths. */
  readonly action: string | undefined
  /** The CSRF token of the form. */
  readonly token: string
  /** The path to redirect to after the login; undefined for the API root. */
  readonly next: string | undefined
  /** The submitted username, shown again after an error. */
  readonly username: string
  /** Error messages; empty before the first attempt. */
  readonly errors: readonly string[]
  /** The form that can be sent after the login; default none. */
  readonly kept?: KeptForm | undefined
  /** Links below the form; default none. */
  readonly links?: readonly LoginLink[] | undefined
}

/** Formats the form as HTML. */
export function loginForm(
  { action, token, next, username, errors, kept, links = [] }: LoginForm,
  words: Words,
): string {
  const errorAttributes = errors.length > 0 ? 'aria-invalid="true" aria-describedby="errors"' : ''
  return html`!${errors.length > 0 ? errorSummary(errors) : ''}<form class="login" method="post" !${action === undefined ? '' : html`action="${action}"`}>
!${loginInputs({ token, next, kept })}<p class="field">
<label for="username">${words('page.username')}</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required !${errorAttributes}>
</p>
<p class="field">
<label for="password">${words('page.password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required !${errorAttributes}>
</p>
<p class="send"><button class="primary">${words('page.log_in')}</button></p>
</form>
!${links.map(link => formLink(link, next))}`
}

/** The hidden inputs that each form of a login has. */
export const loginInputs = ({
  token,
  next,
  kept,
}: Pick<
  LoginForm,
  'token' | 'next' | 'kept'
>): string => html`<input type="hidden" name="${csrfField}" value="${token}">
!${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
!${kept === undefined ? '' : keptInputs(kept)}`

function formLink({ text, href, isButton = false }: LoginLink, next: string | undefined): string {
  const query = isButton && next !== undefined ? `?next=${encodeURIComponent(next)}` : ''
  return html`<p class="login"><a !${isButton ? 'class="button"' : ''} href="${href + query}">${text}</a></p>
`
}

const errorSummary = (errors: readonly string[]): string => html`<div class="notice errors" id="errors" role="alert">
<ul>!${errors.map(error => html`<li>${error}</li>`)}</ul>
</div>
`
