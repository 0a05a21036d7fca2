// The permission policies that most APIs need.

import { isUser } from '../authentication/identity.ts'
import { isSafe, type Permission } from './permission.ts'

/** Every caller may do everything. */
export const allowAny: Permission = Object.freeze<Permission>({ allows: () => true })

/** Only authenticated callers (AUTH-PERM-r1). */
export const authenticated: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated,
})

/** Authenticated callers read and write, anonymous callers read (AUTH-PERM-r2). */
export const authenticatedOrReadOnly: Permission = Object.freeze<Permission>({
  allows: ({ user, method }) => isSafe(method) || user.isAuthenticated,
})

/**
 * Everyone reads; only the user whose key stands in `column` of the object does more (AUTH-PERM-r3). An object without an
 * owner belongs to no caller, not even to a caller without a key.
 */
export function ownerOrReadOnly(column: string): Permission {
  return Object.freeze<Permission>({
    columns: [column],
    allowsSafe: true,
    allowsObject: ({ user, method }, object) => isSafe(method) || isUser(user, object[column]),
  })
}

/** Only callers who belong to the staff. */
export const staff: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated && user.isStaff,
})
