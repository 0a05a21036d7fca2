// The job that mails reset links. Each request for a link enqueues it, whoever asks for which address, so the response tells nobody
// which accounts exist. The links are in the mails only, and in no row of a job.

import { html } from 'ghtml'
import { email, integer, parseRate, type RateStore, text, type View } from '#core'
import { type Job, job, type Mail } from '#jobs'
import { createWords } from '#pages'
import { accountMessages } from '../messages.ts'
import type { PasswordResetSettings, ResetMail } from './password-reset-settings.ts'
import type { ResetLinks } from './reset-links.ts'

export interface ResetJobOptions extends PasswordResetSettings {
  readonly links: ResetLinks
  /** In seconds. */
  readonly lifetime: number
  /** The URL of the page on which the new password is entered. */
  readonly pageUrl: string
  readonly rateStore: RateStore
}

const payload = {
  email: email({ max: 254 }),
  /** When the link was asked for, in seconds since 1970: each attempt sends the same link. */
  time: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  /** The `Accept-Language` of the request. */
  languages: text({ max: 200, blank: true, default: '' }),
}

export type ResetJob = Job<typeof payload>

export const resetJobName = 'password-reset'

export function createResetJob(options: ResetJobOptions): ResetJob {
  const {
    mailer,
    links,
    lifetime,
    pageUrl,
    rateStore,
    perAccount = '3/hour',
    mail: writeMail = writeResetMail,
  } = options
  const rate = parseRate(perAccount)
  return job(resetJobName, {
    payload,
    retries: 5,
    timeLimit: mailer.job.timeLimit,
    async run({ email, time, languages }, context) {
      const words = createWords(context.view as View, { headers: { 'accept-language': languages } })
      for (const account of await links.findByEmail(email)) {
        const { user } = account
        const reservation = await rateStore.take([{ ...rate, key: `password reset ${user.id}` }])
        if (!reservation.allowed) continue
        const token = links.createToken(account, time)
        const mail = writeMail({
          user,
          token,
          url: `${pageUrl}?token=${token}`,
          minutes: Math.floor(lifetime / 60),
          words,
        })
        // The stored address, because the one that was entered may only look the same.
        await mailer.job.perform({ ...mail, to: [user.email] }, context).catch(async error => {
          await reservation.giveBack()
          throw error
        })
      }
    },
  })
}

function writeResetMail({ user, url, minutes, words }: ResetMail): Pick<Mail, 'subject' | 'text' | 'html'> {
  const lead = words.text(accountMessages('reset.mail_lead', { username: user.username }))
  const note = words.text(accountMessages('reset.mail_note', { minutes }))
  return {
    subject: words.text(accountMessages('reset.heading')),
    text: `${lead}\n\n${url}\n\n${note}\n`,
    html: html`<p>${lead}</p>
<p><a href="${url}">${words.text(accountMessages('reset.choose'))}</a></p>
<p>${note}</p>
`,
  }
}
