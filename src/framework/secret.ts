/** One secret, or a list: the first one signs, and all are accepted, so that a secret can be changed. */
export type Secret = string | readonly string[]

/** Its secrets, the one that signs first. */
export const listSecrets = (secret: Secret): readonly string[] => (typeof secret === 'string' ? [secret] : secret)

/** Can it sign: is there a secret, and has each 32 characters or more? */
export const isLongEnough = (secret: Secret): boolean =>
  secret.length > 0 && listSecrets(secret).every(({ length }) => length >= 32)
