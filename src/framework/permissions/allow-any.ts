import type { Permission } from './permission.ts'

/** Every caller may do everything. */
export const allowAny: Permission = Object.freeze<Permission>({ allows: () => true })
