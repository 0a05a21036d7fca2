import { isRate } from '#core'
import type { Mail, Mailer } from '#jobs'
import type { Words } from '#pages'
import type { User } from '../user.ts'

export interface PasswordResetSettings {
  /** Sends the mails: the result of `createMailer` of `resource-api/jobs`. */
  readonly mailer: Mailer
  /** The seconds for which a link works, from 300 to a week; default 3600. */
  readonly lifetime?: number
  /** Requests for links per address of a client; default `20/hour`. */
  readonly perAddress?: string
  /** Mails per account; default `3/hour`. */
  readonly perAccount?: string
  /** Writes the mail; default: a text and HTML in the language of the request. `token` is the one in `url`, for a page of your own. */
  readonly mail?: (reset: ResetMail) => Pick<Mail, 'subject' | 'text' | 'html'>
}

export interface ResetMail {
  readonly user: User
  readonly url: string
  readonly token: string
  /** For how long the link works. */
  readonly minutes: number
  /** `words.text(message)` is the text of a message in the language of the request. */
  readonly words: Pick<Words, 'text' | 'language'>
}

/** Throws for the first wrong setting. */
export function checkPasswordReset({
  mailer,
  lifetime = 3600,
  perAddress,
  perAccount,
}: Partial<PasswordResetSettings>): void {
  if (typeof mailer?.job?.perform !== 'function')
    throw new Error('createAccounts(): passwordReset.mailer is missing: give it the result of createMailer()')
  if (!Number.isInteger(lifetime) || lifetime < 300 || lifetime > maxLifetime)
    throw new Error(
      `createAccounts(): passwordReset.lifetime is ${lifetime}: use a whole number from 300 to ${maxLifetime}`,
    )
  for (const [name, rate] of Object.entries({ perAddress, perAccount }))
    if (rate !== undefined && !isRate(rate))
      throw new Error(
        `createAccounts(): passwordReset.${name} is ${JSON.stringify(rate)}: use a rate such as 60/minute or 10/5 minutes`,
      )
}

/** A week, in seconds. */
const maxLifetime = 604_800
