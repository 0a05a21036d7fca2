// The page on which callers change their own password. It asks for the old one, and ends the other sessions.

import { html } from 'ghtml'
import { formatCookie, type HandlerContext, readCookie, text, ValidationError, type ViewOptions } from '#core'
import type { Words } from '#pages'
import { defineAccountEvent } from '../audit/account-events.ts'
import { passwordField } from '../fields.ts'
import { accountMessages } from '../messages.ts'
import { errorList, findOwnId, type OwnAccountOptions, readBody, sharedOptions, showPage } from './account-page.ts'

const fields = {
  old_password: text({ trim: false }),
  password: { ...passwordField, required: true },
  again: text({ trim: false }),
}

/** `GET` shows the form; `POST` changes the password. */
export function ownPassword(options: OwnAccountOptions): ViewOptions {
  const { users, sessions, passwordRules, csrf, guard } = options
  const show = (context: HandlerContext, errors?: ValidationError['errors']) =>
    showPage(
      options,
      context,
      (words, hiddenHtml) => ({
        heading: words.text(accountMessages('account.password')),
        mainHtml: errorList(errors, words) + passwordForm(passwordRules.minLength, words, hiddenHtml),
      }),
      errors === undefined ? 200 : 400,
    )
  const change = async (context: HandlerContext) => {
    const { request, user } = context
    const values = (await readBody(fields, context)) as Record<keyof typeof fields, string>
    if (values.password !== values.again) throw new ValidationError(accountMessages('account.mismatch'))
    await passwordRules.check(values.password, { username: user.username, email: String(Object(user).email ?? '') })
    const verified = await guard(request, user.username, () => users.verify(user.username, values.old_password))
    if (verified?.id !== user.id) throw new ValidationError(accountMessages('account.wrong_password'))
    await users.setPassword(findOwnId(context), values.password)
  }
  return {
    ...sharedOptions,
    name: 'Password',
    auditEvent: defineAccountEvent({ POST: 'account changed' }),
    handlers: {
      GET: context => show(context),
      async POST(context) {
        const { request, baseUrl } = context
        try {
          await change(context)
        } catch (error) {
          if (error instanceof ValidationError) return show(context, error.errors)
          throw error
        }
        const page = await showPage(options, context, words => ({
          heading: words.text(accountMessages('account.password')),
          mainHtml: html`<p class="notice" role="status">${words.text(accountMessages('account.password_changed'))}</p>`,
        }))
        // The other sessions have ended, and this one with them. Callers with a token have none.
        const hadSession = readCookie(request, csrf.sessionCookie) !== undefined
        const id = hadSession ? await sessions.start(findOwnId(context)) : undefined
        if (id === undefined) return page
        const session = { name: csrf.sessionCookie, value: id, maxAge: sessions.lifetime, httpOnly: true }
        const cookies = [formatCookie(session, baseUrl), csrf.renew(id, baseUrl)]
        return { ...page, headers: { ...page.headers, 'set-cookie': cookies } }
      },
    },
  }
}

const passwordForm = (minLength: number, { text: toText }: Words, hiddenHtml: string): string => {
  const field = (name: keyof typeof fields, label: string, autocomplete: string) => html`<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" required>
</p>
`
  return html`<p class="lead">${toText(accountMessages('account.password_rules', { min: minLength }))}</p>
<form class="action" method="post">
!${hiddenHtml}!${field('old_password', toText(accountMessages('account.old_password')), 'current-password')}!${field('password', toText(accountMessages('account.new_password')), 'new-password')}!${field('again', toText(accountMessages('account.new_again')), 'new-password')}<p class="send"><button class="primary">${toText(accountMessages('account.change_password'))}</button></p>
</form>
`
}
