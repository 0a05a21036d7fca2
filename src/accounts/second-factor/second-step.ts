// The second step of a login: after the right password, the page asks for a code or a passkey. The result of the first step is in a hidden
// field of the form, encrypted, so that nothing is stored before the login is complete.

import { hash } from 'node:crypto'
import type { Database } from '#core'
import { createSeals, type Secrets } from '../encryption.ts'
import { accountsKysely } from '../tables.ts'
import type { Login } from '../users.ts'
import type { Passkeys } from './passkeys.ts'
import type { SecondFactors } from './second-factors.ts'
import type { PasskeyAnswer, PasskeyRequest } from './webauthn.ts'

/** A login with the right password that lacks a code. */
export interface FirstStep {
  readonly userId: number
  readonly username: string
  /** The digest of the password hash. If the password changes, the login fails. */
  readonly digest: string
}

/** Thrown while a login is verified: the password is right, and a code has to follow. */
export class CodeNeeded extends Error {
  override name = 'CodeNeeded'
  /** The hidden field of the next form. */
  readonly sealed: string
  readonly userId: number
  constructor(sealed: string, userId: number) {
    super('a second factor is needed')
    this.sealed = sealed
    this.userId = userId
  }
}

export interface SecondStep {
  /** Returns false if the code is wrong. Throws CodeNeeded if the account has a second factor, and there is no code. */
  check(login: Login, code: string | undefined): Promise<boolean>
  /** Reads the hidden field; undefined if it is too old, or not ours. */
  open(sealed: string): FirstStep | undefined
  /** Finds the factors that the page asks for. */
  ask(userId: number): Promise<AskedFactors>
  /**
   * The password hash with which the session may begin; undefined if the code is wrong, or the password has changed. Rejects with
   * PasskeyRefused.
   */
  finish(step: FirstStep, proof: string | PasskeyAnswer): Promise<string | undefined>
  /** Undefined without passkeys. */
  readonly passkeys: Passkeys | undefined
}

export interface AskedFactors {
  /** Whether the account has an authenticator app. */
  readonly hasApp: boolean
  /** Undefined if the account has no passkey. */
  readonly passkey: PasskeyRequest | undefined
}

export interface SecondStepOptions {
  readonly database: Database
  readonly secrets: Secrets
  readonly factors: SecondFactors
  readonly passkeys: Passkeys | undefined
  readonly clock: () => Date
}

/** In milliseconds. */
const lifetime = 300_000
const context = 'second step of a login'

export function createSecondStep({ database, secrets, factors, passkeys, clock }: SecondStepOptions): SecondStep {
  const seals = createSeals<FirstStep>(secrets, lifetime, clock)
  const seal = ({ user: { id: userId, username }, passwordHash }: Login) =>
    seals.seal({ userId, username, digest: hash('sha256', passwordHash) }, context)
  return {
    passkeys,
    async ask(userId) {
      const { appSince = null, passkeys: count = 0 } = (await factors.find(userId)) ?? {}
      return { hasApp: appSince !== null, passkey: count > 0 ? await passkeys?.requestUse(userId) : undefined }
    },
    async check(login, code) {
      if ((await factors.find(login.user.id)) === undefined) return true
      if (code === undefined) throw new CodeNeeded(seal(login), login.user.id)
      return factors.verify(login.user.id, code)
    },
    open: sealed => seals.open(sealed, context),
    async finish({ userId, digest }, proof) {
      if (typeof proof !== 'string') await passkeys!.verify(proof, userId)
      else if (!(await factors.verify(userId, proof))) return undefined
      const row = await database.transaction(connection =>
        accountsKysely(connection).selectFrom('users').select('password').where('id', '=', userId).executeTakeFirst(),
      )
      const passwordHash = row?.password ?? undefined
      return passwordHash !== undefined && hash('sha256', passwordHash) === digest ? passwordHash : undefined
    },
  }
}
