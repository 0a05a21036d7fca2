import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JwtOptions, jwtScheme } from './jwt-scheme.ts'
import type { Algorithm } from './options.ts'
import { requireScopes } from './require-scopes.ts'

const options = { issuer: 'https://login.example.org', audience: 'https://api.example.org' }

test('a scheme is created without a request to the provider', () => {
  for (const issuer of ['https://a.example/tenant/', 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:80'])
    assert.equal(jwtScheme({ ...options, issuer }).challenge, 'Bearer realm="api"')
})

test('a wrong option is an error that names the option and the fix', () => {
  const none = 'none' as Algorithm
  const hmac = 'HS256' as Algorithm
  const wrong: readonly (readonly [Partial<JwtOptions>, RegExp])[] = [
    [{ issuer: '' }, /issuer is "": give an https URL without a fragment \(http is allowed for localhost\)/],
    [{ issuer: 'login.example.org' }, /issuer is "login.example.org": give an https URL/],
    [{ issuer: 'http://login.example.org' }, /issuer is "http:\/\/login.example.org": give an https URL/],
    [{ issuer: 'http://127.0.0.1.example.org' }, /give an https URL/],
    [{ issuer: 'https://user:secret@login.example.org' }, /give an https URL/],
    [{ issuer: 'https://login.example.org/#x' }, /without a fragment/],
    [{ issuer: 'https://login.example.org/?tenant=1' }, /remove the query: an issuer has none/],
    [{ jwksUri: 'http://login.example.org/keys' }, /jwksUri is "http:\/\/login.example.org\/keys": give an https URL/],
    [{ resourceMetadata: '/.well-known/x' }, /resourceMetadata is ".*": give an https URL/],
    [{ resourceMetadata: 'https://a.example/"x' }, /resourceMetadata is ".*": give an https URL/],
    [{ audience: '' }, /audience is "": give the name of this API, as in the claim aud of its tokens/],
    [{ audience: [] }, /audience is ""/],
    [{ algorithms: [] }, /algorithms is "": give the algorithm of the provider, such as RS256/],
    [{ algorithms: ['RS256', none] }, /algorithms is "none": use algorithms with public keys: RS256, /],
    [{ algorithms: [hmac] }, /algorithms is "HS256": use algorithms with public keys/],
    [{ clockTolerance: -1 }, /clockTolerance is "-1": give a number from 0 to 300/],
    [{ clockTolerance: Number.NaN }, /clockTolerance is "NaN"/],
    [{ clockTolerance: 3600 }, /clockTolerance is "3600"/],
    [{ typ: '' }, /typ is "": give a media type, such as at\+jwt/],
    [{ keyword: 'My token' }, /keyword is "My token": give one word, such as Bearer/],
    [{ realm: 'a "b"' }, /realm is "a "b"": use printable ASCII without " and \\/],
    [{ realm: 'é' }, /realm is "é"/],
    [{ requiredScopes: ['a b'] }, /requiredScopes contains "a b": list scopes one by one/],
    [{ requiredScopes: [''] }, /requiredScopes contains ""/],
    [{ groups: [] }, /groups is "": give the name of a claim/],
    [{ maxTokenLength: 0 }, /maxTokenLength is "0": give a number from 1 to 1048576/],
    [
      { requiredScope: ['notes:read'] } as Partial<JwtOptions>,
      /there is no option "requiredScope": write "requiredScopes"/,
    ],
    [{ keys: { timeout: 0 } }, /keys.timeout is "0": give a number from 0.001 to 60/],
    [{ keys: { maxBytes: Number.POSITIVE_INFINITY } }, /keys.maxBytes is "Infinity"/],
    [{ keys: { maxAge: 0 } }, /keys.maxAge is "0": give a number from 1 to 86400/],
    [{ keys: { cooldown: 0 } }, /keys.cooldown is "0": give a number from 1 to 3600/],
  ]
  for (const [change, message] of wrong) assert.throws(() => jwtScheme({ ...options, ...change }), message)
  assert.throws(() => requireScopes(), /requireScopes\(\) has no scope: give one, such as notes:read/)
  assert.throws(() => requireScopes('a b'), /requireScopes\(\) contains "a b"/)
})
