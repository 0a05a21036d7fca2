// Who calls. The framework knows no table of users: a scheme brings whatever identity its application has.

/** The caller, as a scheme identified it (SVC-2). An application's own user type extends this. */
export interface Identity {
  readonly isAuthenticated: boolean
  /** The primary key of the user; null for an anonymous caller. */
  readonly id: number | null
  readonly username: string
  readonly isStaff: boolean
}

/** The caller whom no scheme identified; replaceable per API (AUTH-GEN-2). */
export const anonymous: Identity = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isStaff: false,
})
