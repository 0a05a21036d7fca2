// The English texts of refused tokens.

import { defineMessages, type TranslationOf } from '#core'

/** Creates an error with a message of tokens. Give it to `catalogues` of `createApi` if the API has languages. */
export const jwtMessages = defineMessages({
  invalid_token: 'Invalid token.',
  'invalid_token.missing': 'Invalid token header. No credentials provided.',
  'invalid_token.spaces': 'Invalid token header. Token string should not contain spaces.',
  'invalid_token.inactive': 'User inactive or deleted.',
  'invalid_token.too_long': 'Token is too long.',
  'invalid_token.type': 'Token is of a different type.',
  'invalid_token.issuer': 'Token is from a different issuer.',
  'invalid_token.audience': 'Token is for a different audience.',
  'invalid_token.subject': 'Token has no valid subject.',
  'invalid_token.expiry': 'Token has no valid expiry.',
  'invalid_token.expired': 'Token has expired.',
  'invalid_token.not_yet_valid': 'Token is not valid yet.',
  'invalid_token.issued_in_future': 'Token was issued in the future.',
  'invalid_token.bound': 'Token is bound to a key, which cannot be verified here.',
  'invalid_token.keys': 'Token cannot be verified at present.',
  insufficient_scope: 'The token lacks a required scope.',
})

/** All texts of tokens in one language. */
export type JwtMessages = TranslationOf<typeof jwtMessages>
