import type { Identity, Permission } from '#core'
import { isAccessToken, scopeChallenge } from './access-token.ts'
import { jwtMessages } from './messages.ts'
import { checkScopes } from './options.ts'

/**
 * Allows only callers whose token has all these scopes. Callers of other schemes have no token and are refused; combine
 * it with `or()` to allow them.
 *
 * @example
 * handlers: { POST: { handle: createNote, permissions: [requireScopes('notes:write')] } }
 */
export function requireScopes(...scopes: readonly string[]): Permission<Identity, never> {
  if (scopes.length === 0) throw new Error('requireScopes() has no scope: give one, such as notes:read')
  checkScopes('requireScopes()', scopes)
  return Object.freeze<Permission<Identity, never>>({
    authenticated: 'always',
    message: jwtMessages('insufficient_scope'),
    challenge: ({ auth }) => (isAccessToken(auth) ? scopeChallenge(auth, scopes) : undefined),
    allows: ({ auth }) => isAccessToken(auth) && scopes.every(scope => auth.scopes.includes(scope)),
  })
}
