/** The password of users that are created without one. */
export const testPassword = 'correct horse battery staple'
