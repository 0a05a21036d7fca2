// The page with the login form: it needs no script.

import { html } from 'ghtml'
import { csrfField } from '../framework/authentication/csrf.ts'

/** What the page shows. */
export interface LoginPage {
  /** The CSRF token of the form. */
  readonly token: string
  /** Where to go after the login; undefined for the root. */
  readonly next: string | undefined
  /** The name that was given, to be corrected. */
  readonly username: string
  /** What was wrong. */
  readonly errors: readonly string[]
}

/** The middle of the page. The form is sent to the page's own URL, whatever a proxy makes of that. */
export function loginForm({ token, next, username, errors }: LoginPage): string {
  const isWrong = errors.length > 0
  const hint = isWrong ? 'aria-invalid="true" aria-describedby="errors"' : ''
  return html`<h1>Log in</h1>
!${isWrong ? errorSummary(errors) : ''}<form class="login" method="post">
<input type="hidden" name="${csrfField}" value="${token}">
!${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
<p class="field">
<label for="username">Username</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required !${hint}>
</p>
<p class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required !${hint}>
</p>
<p class="send"><button>Log in</button></p>
</form>
`
}

const errorSummary = (errors: readonly string[]): string => html`<div class="notice errors" id="errors" role="alert">
<ul>!${errors.map(error => html`<li>${error}</li>`)}</ul>
</div>
`
