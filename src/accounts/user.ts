import type { Identity } from '../framework/authentication/identity.ts'

/** A caller with an account. */
export interface User extends Identity {
  readonly isAuthenticated: true
  readonly id: number
  readonly email: string
  readonly isActive: boolean
  readonly isSuperuser: boolean
}

/** The primary key of the caller's account; null if the caller has none, such as a caller of an external provider. */
export const accountId = ({ id }: Identity): number | null => (typeof id === 'number' ? id : null)

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
