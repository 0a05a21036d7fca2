// The login form, which works without JavaScript.

import { html } from 'ghtml'
import { csrfField } from 'resource-api/extend'

/** The data that the login page shows. */
export interface LoginPage {
  /** The CSRF token of the form. */
  readonly token: string
  /** The path to redirect to after the login; undefined for the API root. */
  readonly next: string | undefined
  /** The submitted username, shown again after an error. */
  readonly username: string
  /** Error messages; empty before the first attempt. */
  readonly errors: readonly string[]
}

/**
 * Formats the form. It has no `action`, so the browser posts to the URL that it loaded, even if a proxy changes paths.
 */
export function formatLoginForm({ token, next, username, errors }: LoginPage): string {
  const hasErrors = errors.length > 0
  const errorAttributes = hasErrors ? 'aria-invalid="true" aria-describedby="errors"' : ''
  return html`<h1>Log in</h1>
!${hasErrors ? errorSummary(errors) : ''}<form class="login" method="post">
<input type="hidden" name="${csrfField}" value="${token}">
!${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
<p class="field">
<label for="username">Username</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required !${errorAttributes}>
</p>
<p class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required !${errorAttributes}>
</p>
<p class="send"><button>Log in</button></p>
</form>
`
}

const errorSummary = (errors: readonly string[]): string => html`<div class="notice errors" id="errors" role="alert">
<ul>!${errors.map(error => html`<li>${error}</li>`)}</ul>
</div>
`
