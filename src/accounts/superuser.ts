import type { Identity, Permission } from '#core'
import { pageMessages } from '#pages'
import type { User } from './user.ts'

export const isSuperuser = (caller: Identity): boolean => (caller as Partial<User>).isSuperuser === true

/**
 * Allows only superusers.
 *
 * @example
 * const views = { '/reports/': { name: 'Reports', permissions: [superuser], handlers } }
 */
export const superuser: Permission<Identity, never> = Object.freeze<Permission<Identity, never>>({
  authenticated: 'always',
  audience: pageMessages('page.who_superuser'),
  allows: ({ user }) => user.isAuthenticated && isSuperuser(user),
})
