// The page of the second step of a login.

import { html } from 'ghtml'
import { type LoginForm, loginInputs, type Words } from '#pages'
import { accountMessages } from '../messages.ts'
import { passkeyForm } from './passkey-form.ts'
import type { AskedFactors } from './second-step.ts'

export interface CodeForm extends AskedFactors, Pick<LoginForm, 'token' | 'next' | 'kept'> {
  readonly sealed: string
  /** Undefined: the form is shown for the first time. */
  readonly wrong: 'code' | 'passkey' | undefined
}

/** The forms that ask for the passkey and for the code. */
export function codeForm({ sealed, token, next, kept, wrong, hasApp, passkey }: CodeForm, words: Words): string {
  const { text } = words
  const hiddenHtml = html`<input type="hidden" name="login" value="${sealed}">!${loginInputs({ token, next, kept })}`
  const label = accountMessages(passkey === undefined || hasApp ? 'factor.code' : 'factor.recovery_code')
  const help = accountMessages(hasApp ? 'factor.code_help' : 'factor.recovery_help')
  const error = accountMessages(wrong === 'passkey' ? 'passkey.wrong' : 'factor.wrong_code')
  return html`!${wrong === undefined ? '' : html`<p class="notice errors" id="errors" role="alert">${text(error)}</p>`}!${passkey === undefined ? '' : passkeyForm({ ...passkey, purpose: 'get', label: text(accountMessages('passkey.use')), hiddenHtml }, words)}<form class="login" method="post">
!${hiddenHtml}<p class="field">
<label for="code">${text(label)}</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="text" autocapitalize="characters" spellcheck="false" maxlength="40" required !${wrong === 'code' ? 'aria-invalid="true" aria-describedby="errors"' : ''}>
</p>
<p>${text(help)}</p>
<p class="send"><button class="primary">${text(accountMessages('factor.continue'))}</button></p>
</form>
`
}
