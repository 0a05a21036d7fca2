// The permission policies that most APIs need.

import { isSameUser } from '../authentication/identity.ts'
import { isSafe, type Permission } from './permission.ts'

/** Allows every caller. */
export const allowAny: Permission = Object.freeze<Permission>({ allows: () => true })

/** Allows only authenticated callers (AUTH-PERM-r1). */
export const authenticated: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated,
})

/** Allows authenticated callers to read and write, anonymous callers to read (AUTH-PERM-r2). */
export const authenticatedOrReadOnly: Permission = Object.freeze<Permission>({
  allows: ({ user, method }) => isSafe(method) || user.isAuthenticated,
})

/**
 * Allows every caller to read, and only the owner to write: the user whose primary key is in `column` of the object
 * (AUTH-PERM-r3). If the column is null, no caller is the owner.
 */
export function ownerOrReadOnly(column: string): Permission {
  return Object.freeze<Permission>({
    columns: [column],
    allowsSafe: true,
    allowsObject: ({ user, method }, object) => isSafe(method) || isSameUser(user, object[column]),
  })
}

/** Allows only staff. */
export const staff: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated && user.isStaff,
})
