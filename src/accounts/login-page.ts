// The page with the login form: plain HTML without scripts and styles, which works everywhere.

import { html } from 'ghtml'
import { Document, type HeaderFields } from '../framework/answer.ts'
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

/**
 * For pages with forms: kept nowhere, shown in no frame, and with nothing active in it. The referrer stays on the site,
 * where the check of what the form sends may need it.
 */
export const pageHeaders: HeaderFields = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** The page as a document. The form is sent to the page's own URL, whatever a proxy makes of that. */
export function loginPage({ token, next, username, errors }: LoginPage): Document {
  const isWrong = errors.length > 0
  const hint = isWrong ? 'aria-invalid="true" aria-describedby="errors"' : ''
  return new Document(html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isWrong ? 'Error: Log in' : 'Log in'}</title>
</head>
<body>
<main>
<h1>Log in</h1>
!${isWrong ? errorSummary(errors) : ''}
<form method="post">
<input type="hidden" name="${csrfField}" value="${token}">
!${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
<p>
<label for="username">Username</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required !${hint}>
</p>
<p>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required !${hint}>
</p>
<p><button>Log in</button></p>
</form>
</main>
</body>
</html>
`)
}

const errorSummary = (errors: readonly string[]): string => html`<div id="errors" role="alert">
<h2>You are not logged in</h2>
<ul>
!${errors.map(error => html`<li>${error}</li>`)}
</ul>
</div>`
