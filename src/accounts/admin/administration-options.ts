import type { Database } from '#core'
import type { AuditLog } from '../audit/audit-log.ts'
import type { GrantedPermissions } from '../granted-permissions.ts'
import type { PasswordRules } from '../passwords/password-rules.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import type { Sessions } from '../sessions.ts'
import type { TokenIssuer, TokenKind } from '../tokens/token-issuer.ts'
import type { AfterUserCreated } from '../users.ts'
import type { AdminResource } from './admin-resource.ts'

export interface AdministrationOptions {
  readonly database: Database
  readonly grantedPermissions: GrantedPermissions
  readonly tokens: TokenIssuer
  readonly tokenKind: TokenKind
  readonly sessions: Sessions
  readonly passwordRules: PasswordRules
  /** If set, superusers see the audit log. */
  readonly auditLog?: AuditLog | undefined
  /** Lists the warnings about the deployment, for superusers; default: none. */
  readonly listWarnings?: (() => readonly string[]) | undefined
  readonly clock?: (() => Date) | undefined
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** If set, staff may remove the second factor of a user. */
  readonly secondFactors?: SecondFactors | undefined
  /** Whether accounts with a password need a second factor here. Default: false. */
  readonly needsSecondFactor?: boolean
  /** The resources of the application that the administration shows. */
  readonly resources?: readonly AdminResource[]
}
