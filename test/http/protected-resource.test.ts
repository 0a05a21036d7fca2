// The metadata of an API for OAuth clients (RFC 9728).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { authenticated } from 'resource-api'
import { jwtScheme, protectedResource } from 'resource-api/jwt'
import type { ProtectedResourceOptions } from '../../src/jwt/protected-resource.ts'
import { startApi } from '../support/own-api.ts'

const issuer = 'https://login.example.org'
const options = { resource: 'https://api.example.org', authorizationServers: [issuer] }

test('RFC 9728 §3, §5.1: the challenge names the URL at which the metadata is', async () => {
  const metadata = protectedResource({ ...options, scopes: ['notes:read', 'notes:write'], name: 'Notes' })
  const { app, client, stop } = await startApi(
    {
      authentication: [jwtScheme({ issuer, audience: options.resource, resourceMetadata: metadata.url })],
      views: { '/notes/': { name: 'Notes', permissions: [authenticated], handlers: { GET: () => ({ status: 200 }) } } },
    },
    { prefix: '/v1', prepare: app => app.register(metadata.plugin) },
  )
  const refused = await client.get('/v1/notes/')
  const [, url = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate']!)!
  const response = await client.get(new URL(url).pathname)
  const head = await app.inject({ method: 'HEAD', url: new URL(url).pathname })
  await stop()
  assert.equal(refused.status, 401)
  assert.equal(url, 'https://api.example.org/.well-known/oauth-protected-resource')
  assert.equal(response.status, 200)
  assert.match(response.headers['content-type']!, /^application\/json/)
  assert.deepEqual(response.json(), {
    resource: 'https://api.example.org',
    authorization_servers: [issuer],
    scopes_supported: ['notes:read', 'notes:write'],
    bearer_methods_supported: ['header'],
    resource_name: 'Notes',
  })
  assert.deepEqual([head.statusCode, head.body], [200, ''])
})

test('RFC 9728 §3.1: the path of the resource follows the well-known path', async () => {
  for (const [resource, path] of [
    ['https://api.example.org/', ''],
    ['https://api.example.org/v1', '/v1'],
    ['https://api.example.org/v1/', '/v1/'],
  ] as const) {
    const { url, plugin } = protectedResource({ ...options, resource })
    assert.equal(url, `https://api.example.org/.well-known/oauth-protected-resource${path}`)
    const app = Fastify()
    await app.register(plugin)
    assert.equal((await app.inject(new URL(url).pathname)).json().resource, resource)
    await app.close()
  }
})

test('wrong options are refused when the metadata is created or registered', async () => {
  const wrong: readonly (readonly [Partial<ProtectedResourceOptions>, RegExp])[] = [
    [{ resource: 'api' }, /resource is "api": give an https URL/],
    [{ resource: 'http://api.example.org' }, /resource is "http:\/\/api.example.org": give an https URL/],
    [{ resource: 'https://api.example.org/#x' }, /without a fragment/],
    [{ resource: 'https://api.example.org/?x' }, /remove the query/],
    [{ resource: 'https://api.example.org/:id' }, /its path may not contain : or \*/],
    [{ authorizationServers: [] }, /authorizationServers is empty: list the issuer/],
    [{ authorizationServers: ['login'] }, /authorizationServers is "login": give an https URL/],
    [{ scopes: ['a b'] }, /scopes contains "a b": list scopes one by one/],
    [{ documentation: 'docs' }, /documentation is "docs": give an https URL/],
  ]
  for (const [change, message] of wrong) assert.throws(() => protectedResource({ ...options, ...change }), message)
  const app = Fastify()
  app.register(protectedResource(options).plugin, { prefix: '/v1' })
  await assert.rejects(async () => app.ready(), /register the plugin without the prefix "\/v1"/)
})
