import type { Database, Resource } from 'resource-api'
import type { AuditLog } from '../audit/audit-log.ts'
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
  /** The names of the models whose permissions can be granted, in addition to users and groups. */
  readonly models?: readonly string[]
  /** If set, superusers see the audit log. */
  readonly auditLog?: AuditLog | undefined
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** Additional resources of the administration. */
  readonly resources?: readonly Resource[]
}
