import { isSafe, type Permission } from './permission.ts'

/** Authenticated callers read and write, anonymous callers read (AUTH-PERM-r2). */
export const authenticatedOrReadOnly: Permission = Object.freeze<Permission>({
  allows: ({ user, method }) => isSafe(method) || user.isAuthenticated,
})
