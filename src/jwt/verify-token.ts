// Verifies a token: its signature, and then its claims (RFC 8725, RFC 9068 §4).

import type { FastifyRequest } from 'fastify'
import type { JWTHeaderParameters, JWTPayload } from 'jose'
import type { ErrorDetail } from '#core'
import type { Claims } from './access-token.ts'
import { errors, jwtVerify } from './jose.ts'
import { type KeySet, KeysUnavailable } from './key-set.ts'
import { type JwtMessages, jwtMessages } from './messages.ts'
import type { TokenSettings } from './options.ts'

/** Why a token is refused. */
export class InvalidToken extends Error {
  readonly detail: ErrorDetail

  constructor(key: keyof JwtMessages) {
    const detail = jwtMessages(key)
    super(detail.message)
    this.detail = detail
  }
}

/** Rejects with InvalidToken, whatever the token holds. */
export async function verifyToken(
  token: string,
  settings: TokenSettings,
  keys: KeySet,
  request: Pick<FastifyRequest, 'log'>,
): Promise<Claims> {
  if (token.length > settings.maxTokenLength) throw new InvalidToken('invalid_token.too_long')
  const { issuer, audience, algorithms, clockTolerance, clock } = settings
  const now = clock()
  try {
    if (!hasCanonicalSignature(token)) throw new Error('the signature has padding or superfluous bits')
    const { payload, protectedHeader } = await jwtVerify(token, header => keys.find(header, request), {
      issuer,
      audience: [...audience],
      algorithms: [...algorithms],
      clockTolerance,
      currentDate: now,
      requiredClaims: ['exp', 'sub'],
    })
    checkType(protectedHeader, settings.typ)
    return checkClaims(payload, now.getTime() / 1000 + clockTolerance)
  } catch (error) {
    // jose's messages describe the token, but do not quote it. Its errors hold the claims, which are not logged.
    if (error instanceof Error) request.log.debug({ reason: error.message }, 'a token was refused')
    throw error instanceof InvalidToken ? error : new InvalidToken(findKey(error))
  }
}

/**
 * Whether the signature is spelled as RFC 7515 §2 says. Decoders also accept padding, and other values of the bits that the
 * last character has too many; one token would then have several texts.
 */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

/** Other kinds of signed tokens are not access tokens (RFC 8725 §3.11). */
function checkType({ typ }: JWTHeaderParameters, required: string | undefined): void {
  const type = typ === undefined ? undefined : normalizeType(typ)
  const isAccepted =
    required === undefined ? [undefined, 'jwt', 'at+jwt'].includes(type) : type === normalizeType(required)
  if (!isAccepted) throw new InvalidToken('invalid_token.type')
}

/** The prefix `application/` may be left out (RFC 7515 §4.1.9). */
const normalizeType = (typ: unknown): string =>
  String(typ)
    .toLowerCase()
    .replace(/^application\//, '')

function checkClaims(claims: JWTPayload, latest: number): Claims {
  const { iat, exp, sub, cnf } = claims
  if (!isIdentifier(sub)) throw new InvalidToken('invalid_token.subject')
  if (!Number.isFinite(exp)) throw new InvalidToken('invalid_token.expiry')
  if (iat !== undefined && iat > latest) throw new InvalidToken('invalid_token.issued_in_future')
  // A thief cannot use such a token without its key. Accepting it without the key would undo that (RFC 9449 §7.1).
  if (cnf !== undefined) throw new InvalidToken('invalid_token.bound')
  return claims as Claims
}

/** At most 255 characters (OpenID Connect Core §2), which both databases can store. */
const isIdentifier = (sub: unknown): sub is string =>
  typeof sub === 'string' && sub !== '' && sub.length <= 255 && sub.isWellFormed() && !sub.includes('\0')

function findKey(error: unknown): keyof JwtMessages {
  if (error instanceof KeysUnavailable) return 'invalid_token.keys'
  if (error instanceof errors.JWTExpired) return 'invalid_token.expired'
  if (error instanceof errors.JWTClaimValidationFailed) return claimKeys[error.claim] ?? 'invalid_token'
  return 'invalid_token'
}

const claimKeys: Readonly<Record<string, keyof JwtMessages>> = {
  iss: 'invalid_token.issuer',
  aud: 'invalid_token.audience',
  sub: 'invalid_token.subject',
  exp: 'invalid_token.expiry',
  nbf: 'invalid_token.not_yet_valid',
}
