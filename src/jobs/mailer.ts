// Mails are jobs: stored in the transaction of the change that causes them, and sent later, again if the mail server is away.

import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as NodemailerPackage from 'nodemailer'
import { type CallContext, email, list, text } from '#core'
import type { EnqueueOptions } from './enqueue.ts'
import { type Job, job } from './job.ts'

/** A mail. Addresses have no names: `ada@example.org`. */
export interface Mail {
  readonly to: string | readonly string[]
  readonly cc?: readonly string[]
  readonly bcc?: readonly string[]
  /** The address to which the recipients reply. */
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  /** The same as HTML. Escape the values in it. */
  readonly html?: string
}

export interface MailerOptions {
  /**
   * `smtp://user:password@mail.example.org:587`, `smtps://…` for TLS from the start, `console:` to print mails, or `memory:` to keep them
   * in `sent`, for tests.
   */
  readonly url: string
  /** The sender: `shop@example.org`, or `Shop <shop@example.org>`. */
  readonly from: string
  /** The name of its job; default `mail`. */
  readonly name?: string
  /** How often a mail is tried again; default 8, which takes about an hour. */
  readonly retries?: number
}

export interface Mailer {
  /** The job that sends mails; a profile names it in its `jobs`. */
  readonly job: Job
  /** Stores a mail, in the transaction of the context if there is one. Rejects with ValidationError if an address is wrong. */
  send(mail: Mail, context: CallContext, options?: EnqueueOptions): Promise<number | null>
  /** The mails that were sent to `memory:`, the oldest first. */
  readonly sent: readonly Mail[]
}

/** A mail with its sender and its id, which is the same at each attempt. */
interface OutgoingMail extends Mail {
  readonly from: string
  readonly messageId: string
}

type Deliver = (mail: OutgoingMail) => Promise<unknown>

const fields = {
  to: list({ of: email(), min: 1, max: 100 }),
  cc: list({ of: email(), max: 100, default: [] }),
  bcc: list({ of: email(), max: 100, default: [] }),
  replyTo: email({ required: false }),
  subject: text({ max: 500, pattern: { test: /^[^\r\n]*$/, message: 'Enter one line.' } }),
  text: text({ multiline: true, trim: false }),
  html: text({ multiline: true, trim: false, required: false }),
}

/**
 * Creates the mailer of an application.
 *
 * @example
 * const mailer = createMailer({ url: process.env.MAIL_URL ?? 'console:', from: 'Shop <shop@example.org>' })
 * export const shop = profile('shop', { resources: [orders], jobs: [mailer.job] })
 * await mailer.send({ to: 'ada@example.org', subject: 'Your order', text: 'Thank you!' }, context)
 */
export function createMailer({ url, from, name = 'mail', retries = 8 }: MailerOptions): Mailer {
  const sent: Mail[] = []
  const deliver = createDeliver(url, sent)
  const host = /@([^\s>]+)/.exec(from)?.[1]
  if (host === undefined) throw new Error(`createMailer(): from must be an address, not ${JSON.stringify(from)}`)
  const mailJob = job(name, {
    payload: fields,
    retries,
    async run({ replyTo, html, ...mail }, { job: { id } }) {
      const own = hash('sha256', JSON.stringify([mail, html]), 'base64url').slice(0, 16)
      const messageId = `<${name}-${id}-${own}@${host}>`
      await deliver({ from, messageId, ...mail, ...(replyTo && { replyTo }), ...(html && { html }) })
    },
  })
  return {
    job: mailJob as unknown as Job,
    sent,
    send: (mail, context, options) =>
      mailJob.enqueue(
        { ...mail, to: [mail.to].flat(), cc: [...(mail.cc ?? [])], bcc: [...(mail.bcc ?? [])] },
        context,
        options,
      ),
  }
}

function createDeliver(url: string, sent: Mail[]): Deliver {
  const { protocol } = URL.parse(url) ?? {}
  switch (protocol) {
    case 'smtp:':
    case 'smtps:': {
      const transport = loadNodemailer().createTransport({ url, ...timeouts })
      return mail => transport.sendMail({ ...mail, to: [mail.to].flat(), cc: [...mail.cc!], bcc: [...mail.bcc!] })
    }
    case 'console:':
      return async ({ from, to, subject, text: body }) =>
        console.log(`From: ${from}\nTo: ${[to].flat().join(', ')}\nSubject: ${subject}\n\n${body}\n`)
    case 'memory:':
      return async ({ from: _from, messageId: _id, ...mail }) => void sent.push(mail)
    default:
      throw new Error(
        `createMailer(): url must begin with smtp:, smtps:, console: or memory:, not ${JSON.stringify(url.split(':', 1)[0])}`,
      )
  }
}

/** In milliseconds: an attempt ends before the time limit of its job. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

function loadNodemailer(): typeof NodemailerPackage {
  try {
    return createRequire(import.meta.url)('nodemailer')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error('createMailer() needs the package nodemailer for SMTP: npm install nodemailer@10', { cause: error })
  }
}
