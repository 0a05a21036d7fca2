// The rules that a new password must satisfy, in the administration, on the command line, and wherever else one is set
// (decision 083). Passwords that are stored already, and those of data files, are not checked.

import { ValidationError } from '#core'
import { accountMessages } from '../messages.ts'
import { findSimilarName, type PasswordOwner } from './password-similarity.ts'

export type { PasswordOwner } from './password-similarity.ts'

export interface PasswordRulesOptions {
  /** The minimum number of characters; default 8. */
  readonly minLength?: number | undefined
}

export interface PasswordRules {
  readonly minLength: number
  /**
   * Rejects with a ValidationError that has all errors at the field `password`, with the codes `password_too_short`,
   * `password_too_common`, `password_too_similar` and `password_entirely_numeric`. `owner`: the names that the account will have.
   */
  check(password: string, owner: PasswordOwner): Promise<void>
}

/**
 * Creates the rules. The list of common passwords is loaded when the first password is checked.
 *
 * @example
 * const rules = createPasswordRules({ minLength: 12 })
 * await rules.check('correct horse battery staple', { username: 'ann', email: 'ann@example.org' })
 */
export function createPasswordRules({ minLength = 8 }: PasswordRulesOptions = {}): PasswordRules {
  return {
    minLength,
    async check(password, owner) {
      const similar = findSimilarName(password, owner)
      const errors = [
        ...([...password].length < minLength ? [accountMessages('password_too_short', { min: minLength })] : []),
        ...(similar === undefined ? [] : [tooSimilar[similar]]),
        ...((await isCommon(password)) ? [accountMessages('password_too_common')] : []),
        ...(/^\p{Nd}+$/u.test(password) ? [accountMessages('password_entirely_numeric')] : []),
      ]
      if (errors.length > 0) throw new ValidationError({ password: errors })
    },
  }
}

const tooSimilar = {
  username: accountMessages('password_too_similar.username'),
  email: accountMessages('password_too_similar.email'),
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined

async function isCommon(password: string): Promise<boolean> {
  commonPasswords ??= loadCommonPasswords()
  return (await commonPasswords).has(password.toLowerCase().trim())
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}
