// The metadata of this API for OAuth clients (RFC 9728): which authorization servers issue its tokens.

import type { FastifyPluginCallback } from 'fastify'
import { checkScopes } from './options.ts'
import { checkSecureUrl } from './secure-url.ts'

export interface ProtectedResourceOptions {
  /** The public URL of the API, which is also the audience of its tokens (RFC 9728 §1.2). */
  readonly resource: string
  /** The issuers whose tokens the API accepts. */
  readonly authorizationServers: readonly string[]
  /** The scopes that a client may ask for; default: not published. */
  readonly scopes?: readonly string[]
  /** The name of the API for people. */
  readonly name?: string
  /** The URL of the API's documentation. */
  readonly documentation?: string
}

export interface ProtectedResource {
  /** The public URL of the metadata: `resourceMetadata` of `jwtScheme()`. */
  readonly url: string
  /** Serves the metadata. Register it in the root of the application: its path is fixed (RFC 9728 §3.1). */
  readonly plugin: FastifyPluginCallback
}

/**
 * Describes the API to OAuth clients. Throws if an option is invalid.
 *
 * @example
 * const metadata = protectedResource({ resource: 'https://api.example.org', authorizationServers: [issuer] })
 * await app.register(metadata.plugin)
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  const { resource, authorizationServers, scopes, name, documentation } = options
  const { origin, pathname, search } = checkSecureUrl('protectedResource(): resource', resource)
  if (search !== '') throw new Error(`protectedResource(): resource is "${resource}": remove the query`)
  if (/[:*]/.test(pathname))
    throw new Error(`protectedResource(): resource is "${resource}": its path may not contain : or *`)
  if (authorizationServers.length === 0)
    throw new Error('protectedResource(): authorizationServers is empty: list the issuer of the tokens')
  for (const server of authorizationServers) checkSecureUrl('protectedResource(): authorizationServers', server)
  if (documentation !== undefined) checkSecureUrl('protectedResource(): documentation', documentation)
  if (scopes !== undefined) checkScopes('protectedResource(): scopes', scopes)
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  const metadata = {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: name,
    resource_documentation: documentation,
  }
  return { url: origin + path, plugin: serve(path, metadata) }
}

const serve =
  (path: string, metadata: object): FastifyPluginCallback =>
  (app, _, done) => {
    if (app.prefix !== '')
      return done(
        new Error(
          `protectedResource(): register the plugin without the prefix "${app.prefix}": clients look for ${path}`,
        ),
      )
    app.get(path, { exposeHeadRoute: true }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').send(metadata),
    )
    done()
  }
