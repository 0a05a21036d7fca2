// Tokens are JSON Web Tokens that Conduit signs itself. They contain the key of a user.

import { jwtVerify, SignJWT } from 'jose'

const secret = new TextEncoder().encode(process.env.SECRET_KEY ?? 'for development: 32 characters or more')

export const signToken = (user: number): Promise<string> =>
  new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(String(user)).setExpirationTime('30d').sign(secret)

/** Returns the key of the token's user; undefined if the token is forged or has expired. */
export const readToken = (token: string): Promise<number | undefined> =>
  jwtVerify(token, secret, { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'] }).then(
    ({ payload }) => Number(payload.sub),
    () => undefined,
  )
