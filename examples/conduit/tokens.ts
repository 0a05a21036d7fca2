// Tokens are JSON Web Tokens that Conduit signs itself. They contain the key of a user, and a digest of the stored password,
// so that a change of the password ends them.

import { createHash, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'

/** Returns the secret that signs tokens. In development, it may be missing: tokens then end with the process. */
export function readSecret({ SECRET_KEY, NODE_ENV }: NodeJS.ProcessEnv): Uint8Array {
  if (SECRET_KEY === undefined && NODE_ENV !== 'production') return randomBytes(32)
  if (SECRET_KEY === undefined || SECRET_KEY.length < 32)
    throw new Error('SECRET_KEY: set it to 32 characters or more that nobody else knows: openssl rand -base64 32')
  return new TextEncoder().encode(SECRET_KEY)
}

const secret = readSecret(process.env)

const digest = (hash: string): string => createHash('sha256').update(hash).digest('base64url')

export const signToken = ({ id, hash }: { readonly id: number; readonly hash: string }): Promise<string> =>
  new SignJWT({ password: digest(hash) })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(id))
    .setExpirationTime('30d')
    .sign(secret)

/** Finds the user of a token; undefined if the token is forged or has expired, or if the password has changed. */
export async function findByToken<User extends { readonly password_hash: string }>(
  token: string,
  findUser: (id: number) => Promise<User | undefined>,
): Promise<User | undefined> {
  const requiredClaims = ['sub', 'exp', 'password']
  const verified = await jwtVerify(token, secret, { algorithms: ['HS256'], requiredClaims }).catch(() => undefined)
  const user = verified && (await findUser(Number(verified.payload.sub)))
  return user !== undefined && verified?.payload.password === digest(user.password_hash) ? user : undefined
}
