import type { Database, Resource } from 'resource-api'
import type { GrantedPermissions } from '../granted-permissions.ts'
import type { Sessions } from '../sessions.ts'
import type { TokenIssuer, TokenKind } from '../tokens/token-issuer.ts'
import type { AfterUserCreated } from '../users.ts'

export interface AdministrationOptions {
  readonly database: Database
  readonly grantedPermissions: GrantedPermissions
  readonly tokens: TokenIssuer
  readonly tokenKind: TokenKind
  readonly sessions: Sessions
  /** The names of the models whose permissions can be granted. */
  readonly models: readonly string[]
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** Additional resources of the administration. */
  readonly resources?: readonly Resource[]
}
