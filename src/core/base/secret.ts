/** One secret, or a list: the first signs, and all are accepted, so that a secret can be rotated. */
export type Secret = string | readonly string[]

/** The secrets; the first one signs. */
export const listSecrets = (secret: Secret): readonly string[] => (typeof secret === 'string' ? [secret] : secret)

/** Whether the secret can sign: there is at least one, and each has 32 characters or more. */
export const isLongEnough = (secret: Secret): boolean =>
  secret.length > 0 && listSecrets(secret).every(({ length }) => length >= 32)
