// The page on which people ask for a link to a new password. The response is the same for every address.

import { html } from 'ghtml'
import {
  clientAddress,
  type DescribeOperation,
  describeErrors,
  describeTakenObject,
  email,
  errorDescriptions,
  type HandlerContext,
  htmlDocumentRenderer,
  jsonRenderer,
  parseRate,
  type RateStore,
  Throttled,
  ValidationError,
  type ViewOptions,
} from '#core'
import type { Words } from '#pages'
import { accountMessages } from '../messages.ts'
import { errorList, type OwnAccountOptions, readBody, sharedOptions, showPage } from '../own-account/account-page.ts'
import type { ResetJob } from './reset-job.ts'

export interface ForgotViewOptions extends Pick<OwnAccountOptions, 'csrf' | 'frame'> {
  readonly job: ResetJob
  readonly rateStore: RateStore
  /** Requests per address of a client. */
  readonly perAddress: string
}

const fields = { email: email({ max: 254, label: accountMessages('label.email') }) }

/** `GET` shows the form; `POST` asks for a link. It responds with a page to a form, and with 204 to JSON. */
export function forgotView(options: ForgotViewOptions): ViewOptions {
  const { csrf, job, rateStore, perAddress } = options
  const rate = parseRate(perAddress)
  const ask = async (context: HandlerContext) => {
    const { request, view } = context
    const values = (await readBody(fields, context)) as Record<keyof typeof fields, string>
    const taken = await rateStore.take([{ ...rate, key: `password reset from ${clientAddress(request)}` }])
    if (!taken.allowed) throw new Throttled(taken.wait / 1000)
    const time = Math.floor(view.clock().getTime() / 1000)
    const languages = String(request.headers['accept-language'] ?? '').slice(0, 200)
    await job.enqueue({ email: values.email, time, languages }, context, { unique: values.email.toLowerCase() })
  }
  const show = (context: HandlerContext, errors?: ValidationError['errors']) =>
    showPage(
      options,
      context,
      (words, hiddenHtml) => ({
        heading: words.text(accountMessages('reset.heading')),
        mainHtml: errorList(errors, words) + forgotForm(words, hiddenHtml),
      }),
      errors === undefined ? 200 : 400,
    )
  return {
    ...sharedOptions,
    permissions: [],
    throttles: [],
    renderers: [htmlDocumentRenderer, jsonRenderer],
    name: 'Forgot password',
    openapi: { tags: ['accounts'] },
    operations: { POST: describeForgot },
    auditEvent: null,
    handlers: {
      GET: { openapi: false, handle: context => show(context) },
      async POST(context) {
        const { request, baseUrl, requestBody } = context
        const isOfProgram = requestBody.kind === 'data'
        if (!isOfProgram) csrf.check(request, baseUrl)?.(requestBody)
        try {
          await ask(context)
        } catch (error) {
          if (error instanceof ValidationError && !isOfProgram) return show(context, error.errors)
          throw error
        }
        if (isOfProgram) return { status: 204 }
        return showPage(options, context, words => ({
          heading: words.text(accountMessages('reset.heading')),
          mainHtml: html`<p class="notice" role="status">${words.text(accountMessages('reset.sent'))}</p>`,
        }))
      },
    },
  }
}

const forgotForm = (
  words: Words,
  hiddenHtml: string,
): string => html`<p class="lead">${words.text(accountMessages('reset.lead'))}</p>
<form class="login" method="post">
!${hiddenHtml}<p class="field">
<label for="email">${words.text(accountMessages('label.email'))}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
</p>
<p class="send"><button class="primary">${words.text(accountMessages('reset.send'))}</button></p>
</form>
`

const describeForgot: DescribeOperation = context => {
  const schema = describeTakenObject(fields, { method: 'POST' }, context)
  return {
    id: 'requestPasswordReset',
    summary: accountMessages('reset.send'),
    body: { required: true, schema, form: schema },
    responses: {
      200: { description: accountMessages('openapi.page'), schema: {} },
      204: { description: accountMessages('reset.sent') },
    },
    errors: {
      invalid: [describeErrors(fields, context, context)],
      statuses: { 429: errorDescriptions[429] },
      usesDatabase: true,
    },
  }
}
