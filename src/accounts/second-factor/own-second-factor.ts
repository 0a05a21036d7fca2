// The page on which people set up their second factor, renew its recovery codes, and remove it. Each asks for the password again.

import {
  type ApiResponse,
  type HandlerContext,
  integer,
  NotFound,
  text,
  ValidationError,
  type ViewOptions,
} from '#core'
import type { Words } from '#pages'
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
import { codesHtml, factorHtml, newPasskeyHtml, setupHtml } from './factor-html.ts'
import type { Passkeys } from './passkeys.ts'
import type { SecondFactors } from './second-factors.ts'
import { createTotpSecret, formatTotpUri } from './totp.ts'
import { PasskeyRefused } from './webauthn.ts'

export interface OwnSecondFactorOptions
  extends Pick<OwnAccountOptions, 'database' | 'users' | 'csrf' | 'frame' | 'guard'> {
  readonly factors: SecondFactors
  /** Undefined: people cannot use passkeys. */
  readonly passkeys: Passkeys | undefined
  readonly secrets: Secrets
  /** The name that an app shows. */
  readonly site: string
}

const name = text({ max: 100 })
const passwordFields = { password: text({ trim: false }), action: text({ max: 40 }) }
const codeFields = { setup: text({ max: 500 }), code: text({ max: 40 }) }
const passkeyFields = { name, challenge: text({ max: 500 }), passkey: text({ max: 30_000 }) }
const renameFields = { rename: integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), name }

/** The most passkeys of an account. */
const maxPasskeys = 20

type Render = (words: Words, hiddenHtml: string) => string

/** `GET` shows the state; each form of the page is a `POST`, which is known by its fields. */
export const ownSecondFactor = (options: OwnSecondFactorOptions): ViewOptions => ({
  ...sharedOptions,
  name: 'Second factor',
  auditEvent: defineAccountEvent({ POST: 'account changed' }),
  handlers: {
    GET: context => showState(options, context),
    async POST(context) {
      try {
        return await findHandler(options, context)(options, context)
      } catch (error) {
        if (error instanceof ValidationError) return showState(options, context, error.errors)
        throw error
      }
    },
  },
})

type Handler = (options: OwnSecondFactorOptions, context: HandlerContext) => Promise<ApiResponse>

function findHandler({ passkeys }: OwnSecondFactorOptions, { requestBody }: HandlerContext): Handler {
  const has = (field: string) => requestBody.kind === 'form' && requestBody.form.has(field)
  if (has('setup')) return finishSetup
  if (passkeys !== undefined && has('passkey')) return addPasskey
  return passkeys !== undefined && has('rename') ? rename : act
}

// The buttons of the page. Each needs the password.
const act: Handler = async (options, context) => {
  const { factors } = options
  const { password, action } = (await readBody(passwordFields, context)) as Record<keyof typeof passwordFields, string>
  const id = await checkPassword(options, context, password)
  const [, passkey] = /^remove-(\d{1,15})$/.exec(action) ?? []
  if (action === 'remove' || passkey !== undefined) {
    await factors.removePart(id, passkey === undefined ? 'app' : Number(passkey))
    return showState(options, context)
  }
  if (action === 'codes' && (await factors.find(id)) !== undefined)
    return showCodes(options, context, await factors.renewCodes(id))
  return action === 'add-passkey' && options.passkeys !== undefined
    ? showNewPasskey(options, context, options.passkeys)
    : showSetup(options, context, createTotpSecret())
}

async function checkPassword(
  { users, guard }: OwnSecondFactorOptions,
  context: HandlerContext,
  password: string,
): Promise<number> {
  const { request, user } = context
  const id = findOwnId(context)
  const verified = await guard(request, user.username, () => users.verify(user.username, password))
  if (verified?.id !== id) throw new ValidationError(accountMessages('factor.wrong_password'))
  return id
}

const finishSetup: Handler = async (options, context) => {
  const { setup, code } = (await readBody(codeFields, context)) as Record<keyof typeof codeFields, string>
  const id = findOwnId(context)
  const secret = createEncryption(options.secrets).decrypt(setup, setupContext(id))
  if (secret === undefined) throw new ValidationError(accountMessages('factor.start_again'))
  const codes = await options.factors.enable(id, secret, code)
  return codes === undefined ? showSetup(options, context, secret, true) : showCodes(options, context, codes)
}

function checkNumber(passkeys: number): void {
  if (passkeys >= maxPasskeys) throw new ValidationError(accountMessages('passkey.too_many', { max: maxPasskeys }))
}

const addPasskey: Handler = async (options, context) => {
  const { name, ...answer } = (await readBody(passkeyFields, context)) as Record<keyof typeof passkeyFields, string>
  const id = findOwnId(context)
  try {
    const codes = await options.passkeys!.create(id, name, answer, async connection => {
      // This waits for concurrent requests of the account, so that their passkeys are counted.
      const created = await options.factors.createCodes(id, connection)
      checkNumber(await options.passkeys!.count(id, connection))
      return created
    })
    return codes.length > 0 ? showCodes(options, context, codes) : showState(options, context)
  } catch (error) {
    if (!(error instanceof PasskeyRefused)) throw error
    context.request.log.warn(`a new passkey: ${error.message}`)
    throw new ValidationError(accountMessages('passkey.refused'))
  }
}

const rename: Handler = async (options, context) => {
  const values = (await readBody(renameFields, context)) as { readonly rename: number; readonly name: string }
  if (!(await options.passkeys!.rename(findOwnId(context), values.rename, values.name))) throw new NotFound()
  return showState(options, context)
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
  const id = findOwnId(context)
  const factor = await options.factors.find(id)
  const passkeys = await options.passkeys?.list(id)
  const render: Render = (words, hiddenHtml) =>
    errorList(errors, words) + factorHtml({ factor, passkeys }, words, hiddenHtml)
  return show(options, context, render, errors === undefined ? 200 : 400)
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
  const setup = { secret, sealed, uri, isWrong }
  return show(options, context, (words, hiddenHtml) => setupHtml(setup, words, hiddenHtml), isWrong ? 400 : 200)
}

async function showNewPasskey(
  options: OwnSecondFactorOptions,
  context: HandlerContext,
  passkeys: Passkeys,
): Promise<ApiResponse> {
  const id = findOwnId(context)
  checkNumber((await passkeys.list(id)).length)
  const request = await passkeys.requestCreation({ id, username: context.user.username })
  return showPage(options, context, (words, hiddenHtml) => ({
    heading: words.text(accountMessages('passkey.add')),
    mainHtml: newPasskeyHtml(request, words, hiddenHtml),
    hasPasskey: true,
  }))
}

const showCodes = (options: OwnSecondFactorOptions, context: HandlerContext, codes: readonly string[]) =>
  show(options, context, words => codesHtml(codes, words))
