// The entry point 'resource-api/accounts': users, groups, passwords, sessions, tokens, permissions and the administration.

export type {
  AccountsOptions,
  AuditSettings,
  LoginThrottleSettings,
  SessionSettings,
  TokenSettings,
} from './accounts-options.ts'
export { type AdminOptions, type AdminResource, adminResource } from './admin/admin-resource.ts'
export { administration, administrationNames } from './admin/administration.ts'
export type { AdministrationOptions } from './admin/administration-options.ts'
export {
  createFigures,
  type Figures,
  type FiguresOptions,
  type ReadFigures,
  type ResourceCount,
} from './admin/figures.ts'
export { type AccountEvent, accountEvents, defineAccountEvent } from './audit/account-events.ts'
export { type Audit, type AuditEvent, type AuditListener, builtInEvents, createAudit } from './audit/audit.ts'
export {
  type AuditFigures,
  createAuditFigures,
  type DayFigures,
  type LastChange,
  maxDayEvents,
} from './audit/audit-figures.ts'
export { type AuditLog, type AuditLogOptions, createAuditLog, maxWaitingEvents } from './audit/audit-log.ts'
export { auditMigrations } from './audit/audit-migrations.ts'
export { auditResource } from './audit/audit-resource.ts'
export { maxStoredEvents } from './audit/audit-rows.ts'
export { type Authority, createAuthority } from './authority.ts'
export {
  type Accounts,
  type AccountsApiOptions,
  createAccounts,
} from './create-accounts.ts'
export { deriveSecret, deriveSecrets, type Secrets } from './encryption.ts'
export { emailField, groupNameField, remoteIdentityField, usernameField } from './fields.ts'
export { germanAccounts } from './german.ts'
export { createGrantedPermissions, type GrantedPermissions } from './granted-permissions.ts'
export {
  createLoginThrottle,
  type LoginThrottle,
  type LoginThrottleOptions,
  loginQueueLimits,
} from './login-throttle.ts'
export { type LoginViewOptions, loginView, logoutView } from './login-view.ts'
export { type AccountMessages, accountMessages } from './messages.ts'
export { accountMigrations } from './migrations.ts'
export { type ModelPermissionsOptions, modelPermissions } from './model-permissions.ts'
export {
  createPasswordRules,
  type PasswordOwner,
  type PasswordRules,
  type PasswordRulesOptions,
} from './passwords/password-rules.ts'
export { hashPassword, isPasswordHash, maxPasswordLength, needsRehash, verifyPassword } from './passwords/passwords.ts'
export { createRemoteUsers, type RemoteUsers, type RemoteUsersOptions } from './remote-users.ts'
export { createSchemes, type RemoteUserSettings, type SchemeName, type SchemesOptions, schemeNames } from './schemes.ts'
export { createSecretRecord, type SecretRecord, type SecretRecordOptions, UnknownSecret } from './secret-record.ts'
export { createSessions, type Sessions, type SessionsOptions } from './sessions.ts'
export { superuser } from './superuser.ts'
export { accountTables } from './tables.ts'
export { type CreateTokensOptions, createTokens } from './tokens/create-tokens.ts'
export { createNamedTokens, maxLifetime } from './tokens/named-tokens.ts'
export { ownTokens } from './tokens/own-tokens.ts'
export { createSingleTokens, type TokenStore, UnreadableToken } from './tokens/single-tokens.ts'
export { type TokenEndpointOptions, tokenEndpoint } from './tokens/token-endpoint.ts'
export { findAccountId, requireAccountId, type User } from './user.ts'
export { checkUsername, toUsernameKey } from './username-key.ts'
export { type AfterUserCreated, createUsers, type NewUser, type Users, type UsersOptions } from './users.ts'
