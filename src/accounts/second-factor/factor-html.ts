// The HTML of the page on which people set up their second factor.

import { html } from 'ghtml'
import encodeQR from 'qr'
import { timeHtml, type Words } from '#pages'
import { accountMessages } from '../messages.ts'
import { passkeyForm } from './passkey-form.ts'
import type { Passkey } from './passkeys.ts'
import type { SecondFactor } from './second-factors.ts'
import type { PasskeyRequest } from './webauthn.ts'

export interface ShownFactor {
  readonly factor: SecondFactor | undefined
  /** Undefined: people cannot use passkeys. */
  readonly passkeys: readonly Passkey[] | undefined
}

/** The form with the password, whose buttons are also in the table of the parts. */
const formId = 'factor'

/** The state, the parts of the second factor, and a form with the password, which each change but a new name needs. */
export function factorHtml({ factor, passkeys }: ShownFactor, words: Words, hiddenHtml: string): string {
  const { text } = words
  const button = (action: string, label: string, isPrimary = false) =>
    html`<button !${isPrimary ? 'class="primary"' : ''} name="action" value="${action}">${label}</button> `
  const hasApp = typeof factor?.appSince === 'string'
  const buttons = [
    hasApp ? '' : button('set-up', text(accountMessages('factor.set_up')), factor === undefined),
    passkeys === undefined ? '' : button('add-passkey', text(accountMessages('passkey.add'))),
    factor === undefined ? '' : button('codes', text(accountMessages('factor.renew'))),
  ]
  const state =
    factor === undefined
      ? text(accountMessages(passkeys === undefined ? 'factor.off' : 'factor.off_with_passkeys'))
      : text(accountMessages('factor.on', { count: factor.recoveryCodes }))
  return html`<p class="lead">${state}</p>
!${factor === undefined ? '' : partsTable({ factor, passkeys }, words, hiddenHtml)}<form class="login" id="${formId}" method="post">
!${hiddenHtml}<p class="field">
<label for="password">${words('page.password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
</p>
<p class="send">!${buttons}</p>
</form>
`
}

function partsTable(
  { factor, passkeys = [] }: ShownFactor & { readonly factor: SecondFactor },
  words: Words,
  hiddenHtml: string,
): string {
  const { text } = words
  const time = (value: string | null) => (value === null ? '' : timeHtml(value, words.language))
  const remove = (action: string, name: string) =>
    html`<button form="${formId}" name="action" value="${action}" aria-label="${text(accountMessages('factor.remove_part', { name }))}">${text(accountMessages('factor.remove'))}</button>`
  const appName = text(accountMessages('factor.app'))
  const appRow = html`<tr><th scope="row">${appName}</th><td>!${time(factor.appSince)}</td><td></td><td>!${remove('remove', appName)}</td></tr>
`
  const row = ({ id, name, created, lastUsed }: Passkey) =>
    html`<tr><th scope="row"><form method="post">!${hiddenHtml}<input type="hidden" name="rename" value="${id}"><input name="name" value="${name}" aria-label="${text(accountMessages('passkey.name'))}" maxlength="100" required> <button>${text(accountMessages('passkey.rename'))}</button></form></th><td>!${time(created)}</td><td>!${time(lastUsed)}</td><td>!${remove(`remove-${id}`, name)}</td></tr>
`
  return html`<div class="table" role="region" aria-label="${text(accountMessages('factor.heading'))}" tabindex="0"><table>
<thead><tr><th scope="col">${text(accountMessages('account.name'))}</th><th scope="col">${text(accountMessages('account.since'))}</th><th scope="col">${text(accountMessages('account.last_used'))}</th><th scope="col">${words('page.actions')}</th></tr></thead>
<tbody>
!${factor.appSince === null ? '' : appRow}!${passkeys.map(row)}</tbody>
</table></div>
`
}

export interface Setup {
  readonly secret: string
  /** The secret, encrypted: a hidden field of the form. */
  readonly sealed: string
  /** The address that an app reads. */
  readonly uri: string
  readonly isWrong: boolean
}

/** The key of an authenticator app, and the form for its first code. */
export const setupHtml = (
  { secret, sealed, uri, isWrong }: Setup,
  { text }: Words,
  hiddenHtml: string,
): string => html`!${isWrong ? html`<p class="notice errors" id="errors" role="alert">${text(accountMessages('factor.wrong_code'))}</p>` : ''}<p class="lead">${text(accountMessages('factor.add'))}</p>
!${qrCode(uri, text(accountMessages('factor.qr_code')))}
<p><code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<p><a href="${uri}">${text(accountMessages('factor.open_app'))}</a></p>
<form class="login" method="post">
!${hiddenHtml}<input type="hidden" name="setup" value="${sealed}">
<p class="field">
<label for="code">${text(accountMessages('factor.code'))}</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="numeric" maxlength="40" required !${isWrong ? 'aria-invalid="true" aria-describedby="errors"' : ''}>
</p>
<p class="send"><button class="primary">${text(accountMessages('factor.turn_on'))}</button></p>
</form>
`

/** A picture that a camera reads: black on white in dark mode too, with the border of four modules that ISO/IEC 18004 asks for. */
function qrCode(content: string, label: string): string {
  const rows = encodeQR(content, 'raw', { ecc: 'medium', border: 4 })
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  const size = rows.length
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
}

/** The form that makes a passkey. */
export function newPasskeyHtml(request: PasskeyRequest, words: Words, hiddenHtml: string): string {
  const { text } = words
  const fieldsHtml = html`<p class="field">
<label for="name">${text(accountMessages('passkey.name'))}</label>
<input id="name" name="name" value="${text(accountMessages('passkey.default_name'))}" maxlength="100" required>
</p>
`
  const label = text(accountMessages('passkey.create'))
  return html`<p class="lead">${text(accountMessages('passkey.about'))}</p>
<noscript><p class="notice errors">${text(accountMessages('passkey.needs_script'))}</p></noscript>
!${passkeyForm({ ...request, purpose: 'create', label, hiddenHtml, fieldsHtml }, words)}`
}

/** The recovery codes, which are shown once. */
export const codesHtml = (
  codes: readonly string[],
  { text }: Words,
): string => html`<p class="notice" role="status">${text(accountMessages('factor.is_on'))}</p>
<p class="lead">${text(accountMessages('factor.keep_codes'))}</p>
<ul>!${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
`
