// Loads jose, an optional peer dependency: only applications that use this entry need it.

import type * as Jose from 'jose'

const jose = await import('jose').catch((cause: unknown): typeof Jose => {
  throw new Error('resource-api/jwt needs the package jose: npm install jose@6', { cause })
})

export const { createLocalJWKSet, errors, jwtVerify } = jose
