import { type Identity, NotAuthenticated, PermissionDenied } from '#core'
import { accountMessages } from './messages.ts'

/** A caller with an account. */
export interface User extends Identity {
  readonly isAuthenticated: true
  readonly id: number
  readonly email: string
  readonly isActive: boolean
  readonly isSuperuser: boolean
}

/**
 * The primary key of the caller's account; null for a caller without an account. The id of an account is an integer, and
 * a database would treat the text `'1'` of another scheme's caller like the integer.
 */
export const findAccountId = ({ isAuthenticated, id }: Identity): number | null =>
  isAuthenticated && typeof id === 'number' && Number.isSafeInteger(id) ? id : null

/**
 * The primary key of the caller's account. Throws PermissionDenied for a caller whom another scheme identifies and who has no
 * account, and NotAuthenticated for an anonymous one.
 *
 * @example
 * prepare: ({ action, user }) => (action === 'create' ? { owner_id: requireAccountId(user) } : {})
 */
export function requireAccountId(user: Identity): number {
  const id = findAccountId(user)
  if (id !== null) return id
  throw user.isAuthenticated
    ? new PermissionDenied(accountMessages('permission_denied.no_account'))
    : new NotAuthenticated()
}

/** The columns of `users` that {@link toUser} reads, in the order of {@link UserRow}. */
export const userColumns = ['id', 'username', 'email', 'is_active', 'is_staff', 'is_superuser'] as const

export type UserRow = readonly [
  id: number,
  username: string,
  email: string,
  isActive: boolean | number,
  isStaff: boolean | number,
  isSuperuser: boolean | number,
]

export function toUser([id, username, email, isActive, isStaff, isSuperuser]: UserRow): User {
  return {
    isAuthenticated: true,
    id,
    username,
    email,
    isActive: Boolean(isActive),
    isStaff: Boolean(isStaff),
    isSuperuser: Boolean(isSuperuser),
  }
}
