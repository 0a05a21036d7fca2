import type { Identity } from '#core'

/** The name of a caller in audit events; null if the caller is anonymous. */
export const findUsername = (user: Identity | undefined): string | null =>
  user?.isAuthenticated ? user.username : null
