// The public door 'resource-api/accounts': users, groups, passwords, sessions, tokens, permissions and the administration.

export type { AccountsOptions } from './accounts/accounts-options.ts'
export { adminResource } from './accounts/admin/admin-resource.ts'
export type { AuditEvent, AuditListener } from './accounts/audit/audit.ts'
export { type Accounts, createAccounts } from './accounts/create-accounts.ts'
export { germanAccounts } from './accounts/german.ts'
export { createLoginThrottle, type LoginThrottle } from './accounts/login-throttle.ts'
export { accountMessages } from './accounts/messages.ts'
export { modelPermissions } from './accounts/model-permissions.ts'
export { hashPassword, needsRehash, verifyPassword } from './accounts/passwords/passwords.ts'
export { superuser } from './accounts/superuser.ts'
export { findAccountId, requireAccountId, type User } from './accounts/user.ts'
export type { AfterUserCreated } from './accounts/users.ts'
