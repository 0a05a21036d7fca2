// The public door 'resource-api/jwt': access tokens of an OpenID Connect provider, as JSON Web Tokens (RFC 7519).

export { type AccessToken, type Claims, isAccessToken } from './jwt/access-token.ts'
export { germanJwt } from './jwt/german.ts'
export { type JwtOptions, jwtScheme } from './jwt/jwt-scheme.ts'
export { jwtMessages } from './jwt/messages.ts'
export { type ProtectedResource, protectedResource } from './jwt/protected-resource.ts'
export { requireScopes } from './jwt/require-scopes.ts'
