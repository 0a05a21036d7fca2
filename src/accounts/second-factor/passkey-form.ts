import { html } from 'ghtml'
import type { Words } from '#pages'
import { accountMessages } from '../messages.ts'
import type { PasskeyRequest } from './webauthn.ts'

export interface PasskeyForm extends PasskeyRequest {
  /** Whether the browser makes a passkey, or uses one. */
  readonly purpose: 'create' | 'get'
  readonly label: string
  readonly hiddenHtml: string
  /** The fields of the form; default: none. */
  readonly fieldsHtml?: string
}

/** A form whose button asks the browser for a passkey, and sends it. Only a script can do this, so the form is hidden without one. */
export const passkeyForm = (
  { options, challenge, purpose, label, hiddenHtml, fieldsHtml = '' }: PasskeyForm,
  { text }: Words,
): string => html`<form class="login" method="post" data-passkey="${purpose}" data-options="${options}" hidden>
!${hiddenHtml}<input type="hidden" name="challenge" value="${challenge}">
<input type="hidden" name="passkey">
!${fieldsHtml}<p class="notice errors" role="alert" data-failed="${text(accountMessages('passkey.failed'))}" hidden></p>
<p class="send"><button !${purpose === 'create' ? 'class="primary"' : ''}>${label}</button></p>
</form>
`
