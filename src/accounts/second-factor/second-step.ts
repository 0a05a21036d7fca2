// The second step of a login: after the right password, the page asks for a code. What the first step found is in a hidden field of the
// form, encrypted, so that nothing is stored before the login is complete.

import { hash } from 'node:crypto'
import { html } from 'ghtml'
import { csrfField, type Database } from '#core'
import { type KeptForm, keptInputs, type Words } from '#pages'
import { createEncryption, type Secrets } from '../encryption.ts'
import { accountMessages } from '../messages.ts'
import { accountsKysely } from '../tables.ts'
import type { Login } from '../users.ts'
import type { SecondFactors } from './second-factors.ts'

/** A login with the right password that lacks a code. */
export interface FirstStep {
  readonly userId: number
  readonly username: string
  /** The digest of the password hash. If the password changes, the login fails. */
  readonly digest: string
  /** In milliseconds since 1970. */
  readonly expires: number
}

/** Thrown while a login is verified: the password is right, and a code has to follow. */
export class CodeNeeded extends Error {
  override name = 'CodeNeeded'
  /** The hidden field of the next form. */
  readonly sealed: string
  constructor(sealed: string) {
    super('a second factor is needed')
    this.sealed = sealed
  }
}

export interface SecondStep {
  /** Returns false if the code is wrong. Throws CodeNeeded if the account has a second factor, and there is no code. */
  check(login: Login, code: string | undefined): Promise<boolean>
  /** Reads the hidden field; undefined if it is too old, or not ours. */
  open(sealed: string): FirstStep | undefined
  /** The password hash with which the session may begin; undefined if the code is wrong, or the password has changed. */
  finish(step: FirstStep, code: string): Promise<string | undefined>
}

export interface SecondStepOptions {
  readonly database: Database
  readonly secrets: Secrets
  readonly factors: SecondFactors
  readonly clock: () => Date
}

/** In milliseconds. */
const lifetime = 300_000
const context = 'second step of a login'

export function createSecondStep({ database, secrets, factors, clock }: SecondStepOptions): SecondStep {
  const { encrypt, decrypt } = createEncryption(secrets)
  const seal = ({ user, passwordHash }: Login) => {
    const expires = clock().getTime() + lifetime
    const step: FirstStep = { userId: user.id, username: user.username, digest: hash('sha256', passwordHash), expires }
    return encrypt(JSON.stringify(step), context)
  }
  return {
    async check(login, code) {
      if ((await factors.find(login.user.id)) === undefined) return true
      if (code === undefined) throw new CodeNeeded(seal(login))
      return factors.verify(login.user.id, code)
    },
    open(sealed) {
      const text = decrypt(sealed, context)
      const step = text === undefined ? undefined : (JSON.parse(text) as FirstStep)
      return step !== undefined && step.expires > clock().getTime() ? step : undefined
    },
    async finish({ userId, digest }, code) {
      if (!(await factors.verify(userId, code))) return undefined
      const row = await database.transaction(connection =>
        accountsKysely(connection).selectFrom('users').select('password').where('id', '=', userId).executeTakeFirst(),
      )
      const passwordHash = row?.password ?? undefined
      return passwordHash !== undefined && hash('sha256', passwordHash) === digest ? passwordHash : undefined
    },
  }
}

export interface CodeForm {
  readonly sealed: string
  readonly token: string
  readonly next: string | undefined
  readonly kept: KeptForm | undefined
  readonly isWrong: boolean
}

/** The form that asks for the code. */
export function codeForm({ sealed, token, next, kept, isWrong }: CodeForm, { text }: Words): string {
  return html`!${isWrong ? html`<p class="notice errors" id="errors" role="alert">${text(accountMessages('factor.wrong_code'))}</p>` : ''}<form class="login" method="post">
<input type="hidden" name="${csrfField}" value="${token}">
<input type="hidden" name="login" value="${sealed}">
!${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
!${kept === undefined ? '' : keptInputs(kept)}<p class="field">
<label for="code">${text(accountMessages('factor.code'))}</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="text" autocapitalize="characters" spellcheck="false" maxlength="40" required !${isWrong ? 'aria-invalid="true" aria-describedby="errors"' : ''}>
</p>
<p>${text(accountMessages('factor.code_help'))}</p>
<p class="send"><button class="primary">${text(accountMessages('factor.continue'))}</button></p>
</form>
`
}
