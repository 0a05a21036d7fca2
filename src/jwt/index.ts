// Access tokens of an OpenID Connect provider, as JSON Web Tokens (RFC 7519): import from 'resource-api/jwt'.

export { type AccessToken, type Claims, isAccessToken } from './access-token.ts'
export { germanJwt } from './german.ts'
export { type JwtOptions, jwtScheme } from './jwt-scheme.ts'
export { type JwtMessages, jwtMessages } from './messages.ts'
export type { Algorithm, KeyOptions } from './options.ts'
export { type ProtectedResource, type ProtectedResourceOptions, protectedResource } from './protected-resource.ts'
export { requireScopes } from './require-scopes.ts'
