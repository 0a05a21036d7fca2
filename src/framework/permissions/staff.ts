import type { Permission } from './permission.ts'

/** Only callers who belong to the staff. */
export const staff: Permission = Object.freeze<Permission>({
  allows: ({ user }) => user.isAuthenticated && user.isStaff,
})
