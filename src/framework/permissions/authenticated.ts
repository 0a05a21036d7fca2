import type { Permission } from './permission.ts'

/** Only authenticated callers (AUTH-PERM-r1). */
export const authenticated: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated,
})
