// The server's part of WebAuthn Level 3: the options for the browser, and the checks of its answers. The library checks type, challenge,
// origin, rpID, flags, counter and signature. Each challenge is made for one purpose, and ends after five minutes.

import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type * as Library from '@simplewebauthn/server'
import { isObject } from '#core'
import { createSeals, type Secrets } from '../encryption.ts'

export type Credential = Library.WebAuthnCredential

/** A request that a page makes to the browser: create a passkey, or use one. */
export interface PasskeyRequest {
  /** The options of `navigator.credentials`, as JSON. */
  readonly options: string
  /** The challenge, encrypted: a hidden field of the form. */
  readonly challenge: string
}

/** The fields that a form sends: the unchanged challenge, and the credential of the browser as JSON. */
export interface PasskeyAnswer {
  readonly challenge: string
  readonly passkey: string
}

/** An answer that does not count. The message is for the log. */
export class PasskeyRefused extends Error {
  override name = 'PasskeyRefused'
}

/** The challenge of an answer. The caller lets each work once. */
export interface Challenge {
  /** In base64url. */
  readonly text: string
  /** In milliseconds since 1970. */
  readonly expires: number
}

export interface WebauthnOptions {
  readonly secrets: Secrets
  readonly clock: () => Date
  /** The URL of the server as people reach it. */
  readonly publicUrl: string
  /** The name that browsers show. */
  readonly site: string
}

export interface Webauthn {
  requestCreation(
    user: { readonly id: number; readonly username: string },
    own: readonly Credential[],
  ): Promise<PasskeyRequest>
  /** Resolves to the new credential. Rejects with PasskeyRefused. */
  verifyCreation(
    answer: PasskeyAnswer,
    userId: number,
  ): Promise<{ readonly challenge: Challenge; readonly credential: Credential }>
  /** Asks for one of these credentials of a user, or without a user for any that the device has. */
  requestUse(userId: number | undefined, own: readonly Credential[]): Promise<PasskeyRequest>
  /**
   * Resolves to the new counter. `userId`: the one of the request; without it, the device must have verified the person. Rejects with
   * PasskeyRefused.
   */
  verifyUse(
    answer: PasskeyAnswer,
    userId: number | undefined,
    credential: Credential,
  ): Promise<{ readonly challenge: Challenge; readonly counter: number }>
}

/** In milliseconds. */
const lifetime = 300_000

/** EdDSA, ES256 and RS256 (RFC 8152): by default, the library also tries what Node calls experimental. */
const supportedAlgorithmIDs = [-8, -7, -257]

const creation = (userId: number): string => `passkey of ${userId}`
const use = (userId: number | undefined): string =>
  userId === undefined ? 'passkey login' : `passkey use of ${userId}`

export function createWebauthn({ secrets, clock, publicUrl, site }: WebauthnOptions): Webauthn {
  const library = loadLibrary()
  const { origin, hostname: rpID } = new URL(publicUrl)
  const expected = { expectedOrigin: origin, expectedRPID: rpID }
  const challenges = createChallenges(secrets, clock)
  return {
    async requestCreation({ id, username }, own) {
      const { bytes, challenge } = challenges.issue(creation(id))
      const options = await library.generateRegistrationOptions({
        ...{ rpName: site, rpID, userName: username, userID: new TextEncoder().encode(String(id)) },
        ...{ challenge: bytes, timeout: lifetime, excludeCredentials: own.map(toDescriptor) },
        supportedAlgorithmIDs,
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      })
      return { options: JSON.stringify(options), challenge }
    },
    async verifyCreation(answer, userId) {
      const challenge = challenges.open(answer.challenge, creation(userId))
      const response = readAnswer(answer) as unknown as Library.RegistrationResponseJSON
      const checks = {
        ...expected,
        expectedChallenge: challenge.text,
        requireUserVerification: false,
        supportedAlgorithmIDs,
      }
      const { registrationInfo } = await refusing(() => library.verifyRegistrationResponse({ response, ...checks }))
      if (registrationInfo === undefined) throw new PasskeyRefused('the signature is wrong')
      return { challenge, credential: registrationInfo.credential }
    },
    async requestUse(userId, own) {
      const { bytes, challenge } = challenges.issue(use(userId))
      const options = await library.generateAuthenticationOptions({
        ...{ rpID, challenge: bytes, timeout: lifetime, allowCredentials: own.map(toDescriptor) },
        userVerification: userId === undefined ? 'required' : 'preferred',
      })
      return { options: JSON.stringify(options), challenge }
    },
    async verifyUse(answer, userId, credential) {
      const challenge = challenges.open(answer.challenge, use(userId))
      const response = readAnswer(answer) as unknown as Library.AuthenticationResponseJSON
      const checks = { ...expected, expectedChallenge: challenge.text, requireUserVerification: userId === undefined }
      const { verified, authenticationInfo } = await refusing(() =>
        library.verifyAuthenticationResponse({ response, credential, ...checks }),
      )
      if (!verified) throw new PasskeyRefused('the signature is wrong')
      return { challenge, counter: authenticationInfo.newCounter }
    },
  }
}

const toDescriptor = ({ id, transports }: Credential) => ({ id, ...(transports && { transports }) })

/** Why passkeys cannot work with this URL; undefined if they can. Browsers know them by a name, and only on secure pages. */
export function refusePublicUrl(publicUrl: string): string | undefined {
  const { protocol, hostname } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return 'its host must be a name, such as "localhost"'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? undefined : 'it must begin with https:, except on localhost'
}

function createChallenges(secrets: Secrets, clock: () => Date) {
  const seals = createSeals<Pick<Challenge, 'text'>>(secrets, lifetime, clock)
  return {
    issue(context: string) {
      const bytes = Uint8Array.from(randomBytes(32))
      const text = Buffer.from(bytes).toString('base64url')
      return { bytes, challenge: seals.seal({ text }, context) }
    },
    open(sealed: string, context: string): Challenge {
      const challenge = seals.open(sealed, context)
      if (challenge === undefined) throw new PasskeyRefused('the challenge is too old, or not one of this form')
      return challenge
    },
  }
}

/** The longest id in base64url: WebAuthn §4 allows 1023 bytes. */
const maxIdLength = 1364

/** The credential of an answer, of which only the id is checked. Rejects with PasskeyRefused. */
export function readAnswer({ passkey }: PasskeyAnswer): Readonly<Record<string, unknown>> & { readonly id: string } {
  let credential: unknown
  try {
    credential = JSON.parse(passkey)
  } catch {
    throw new PasskeyRefused('the answer is not JSON')
  }
  const { id } = isObject(credential) ? credential : {}
  if (typeof id !== 'string' || !/^[\w-]+$/.test(id) || id.length > maxIdLength)
    throw new PasskeyRefused('the answer has no id')
  return credential as { readonly id: string }
}

/** The library throws an error for each answer that it refuses, whatever the answer contains. */
async function refusing<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify()
  } catch (cause) {
    throw new PasskeyRefused((cause as Error).message, { cause })
  }
}

function loadLibrary(): typeof Library {
  try {
    return createRequire(import.meta.url)('@simplewebauthn/server')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(
      'createAccounts(): secondFactor.passkeys needs the package @simplewebauthn/server: npm install @simplewebauthn/server@14',
      { cause: error },
    )
  }
}
