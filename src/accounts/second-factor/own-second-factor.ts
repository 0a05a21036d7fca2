// The page on which people set up their second factor, renew its recovery codes, and remove it. Each asks for the password again.

import { html } from 'ghtml'
import { type ApiResponse, type HandlerContext, text, ValidationError, type ViewOptions } from '#core'
import { timeHtml, type Words } from '#pages'
import { defineAccountEvent } from '../audit/account-events.ts'
import { createEncryption, type Secrets } from '../encryption.ts'
import { accountMessages } from '../messages.ts'
import {
  errorList,
  findOwnId,
  type OwnAccountOptions,
  readBody,
  sharedOptions,
  showPage,
} from '../own-account/account-page.ts'
import type { SecondFactor, SecondFactors } from './second-factors.ts'
import { createTotpSecret, formatTotpUri } from './totp.ts'

export interface OwnSecondFactorOptions
  extends Pick<OwnAccountOptions, 'database' | 'users' | 'csrf' | 'frame' | 'guard'> {
  readonly factors: SecondFactors
  readonly secrets: Secrets
  /** The name that an app shows. */
  readonly site: string
}

const passwordFields = { password: text({ trim: false }), action: text({ max: 20 }) }
const codeFields = { setup: text({ max: 500 }), code: text({ max: 40 }) }

type Render = (words: Words, hiddenHtml: string) => string

/** `GET` shows the state; `POST` with a password begins the setup, renews the codes or removes the factor; with a code, it ends the setup. */
export const ownSecondFactor = (options: OwnSecondFactorOptions): ViewOptions => ({
  ...sharedOptions,
  name: 'Second factor',
  auditEvent: defineAccountEvent({ POST: 'account changed' }),
  handlers: {
    GET: context => showState(options, context),
    async POST(context) {
      const isSetup = context.requestBody.kind === 'form' && context.requestBody.form.has('setup')
      try {
        return await (isSetup ? finishSetup(options, context) : act(options, context))
      } catch (error) {
        if (error instanceof ValidationError) return showState(options, context, error.errors)
        throw error
      }
    },
  },
})

async function act(options: OwnSecondFactorOptions, context: HandlerContext): Promise<ApiResponse> {
  const { users, guard, factors, database } = options
  const { request, user } = context
  const { password, action } = (await readBody(passwordFields, context)) as Record<keyof typeof passwordFields, string>
  const id = findOwnId(context)
  const verified = await guard(request, user.username, () => users.verify(user.username, password))
  if (verified?.id !== id) throw new ValidationError(accountMessages('factor.wrong_password'))
  if (action === 'remove') {
    await database.transaction(connection => factors.remove(id, connection))
    return showState(options, context)
  }
  if (action === 'codes' && (await factors.find(id)) !== undefined)
    return showCodes(options, context, await factors.renewCodes(id))
  return showSetup(options, context, createTotpSecret())
}

async function finishSetup(options: OwnSecondFactorOptions, context: HandlerContext): Promise<ApiResponse> {
  const { setup, code } = (await readBody(codeFields, context)) as Record<keyof typeof codeFields, string>
  const id = findOwnId(context)
  const secret = createEncryption(options.secrets).decrypt(setup, setupContext(id))
  if (secret === undefined) throw new ValidationError(accountMessages('factor.start_again'))
  const codes = await options.factors.enable(id, secret, code)
  return codes === undefined ? showSetup(options, context, secret, true) : showCodes(options, context, codes)
}

/** The key of a setup is encrypted for the account whose password was entered. */
const setupContext = (userId: number): string => `second factor setup ${userId}`

const show = (options: OwnSecondFactorOptions, context: HandlerContext, render: Render, status = 200) =>
  showPage(
    options,
    context,
    (words, hiddenHtml) => ({
      heading: words.text(accountMessages('factor.heading')),
      mainHtml: render(words, hiddenHtml),
    }),
    status,
  )

async function showState(
  options: OwnSecondFactorOptions,
  context: HandlerContext,
  errors?: ValidationError['errors'],
): Promise<ApiResponse> {
  const factor = await options.factors.find(findOwnId(context))
  const render: Render = (words, hiddenHtml) => errorList(errors, words) + stateHtml(factor, words, hiddenHtml)
  return show(options, context, render, errors === undefined ? 200 : 400)
}

function stateHtml(factor: SecondFactor | undefined, words: Words, hiddenHtml: string): string {
  const { text: toText } = words
  const button = (action: string, label: string, isPrimary = false) =>
    html`<button !${isPrimary ? 'class="primary"' : ''} name="action" value="${action}">${label}</button>`
  const buttons =
    factor === undefined
      ? button('set-up', toText(accountMessages('factor.set_up')), true)
      : html`!${button('codes', toText(accountMessages('factor.renew')))} !${button('remove', toText(accountMessages('factor.remove')))}`
  const state =
    factor === undefined
      ? html`<p class="lead">${toText(accountMessages('factor.off'))}</p>`
      : html`<p class="lead">${toText(accountMessages('factor.on', { count: factor.recoveryCodes }))}</p>
<p>${toText(accountMessages('account.since'))} !${timeHtml(factor.created, words.language)}</p>`
  return html`!${state}
<form class="login" method="post">
!${hiddenHtml}<p class="field">
<label for="password">${words('page.password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
</p>
<p class="send">!${buttons}</p>
</form>
`
}

function showSetup(
  options: OwnSecondFactorOptions,
  context: HandlerContext,
  secret: string,
  isWrong = false,
): Promise<ApiResponse> {
  const { secrets, site } = options
  const sealed = createEncryption(secrets).encrypt(secret, setupContext(findOwnId(context)))
  const uri = formatTotpUri(secret, { site, username: context.user.username })
  const render: Render = (
    { text: toText },
    hiddenHtml,
  ) => html`!${isWrong ? html`<p class="notice errors" id="errors" role="alert">${toText(accountMessages('factor.wrong_code'))}</p>` : ''}<p class="lead">${toText(accountMessages('factor.add'))}</p>
<p><code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<p><a href="${uri}">${toText(accountMessages('factor.open_app'))}</a></p>
<form class="login" method="post">
!${hiddenHtml}<input type="hidden" name="setup" value="${sealed}">
<p class="field">
<label for="code">${toText(accountMessages('factor.code'))}</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="numeric" maxlength="40" required !${isWrong ? 'aria-invalid="true" aria-describedby="errors"' : ''}>
</p>
<p class="send"><button class="primary">${toText(accountMessages('factor.turn_on'))}</button></p>
</form>
`
  return show(options, context, render, isWrong ? 400 : 200)
}

const showCodes = (options: OwnSecondFactorOptions, context: HandlerContext, codes: readonly string[]) =>
  show(
    options,
    context,
    ({ text: toText }) => html`<p class="notice" role="status">${toText(accountMessages('factor.is_on'))}</p>
<p class="lead">${toText(accountMessages('factor.keep_codes'))}</p>
<ul>!${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
`,
  )
