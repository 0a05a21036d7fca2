// Access tokens of an OpenID Connect provider (RFC 6750, RFC 8725, RFC 9068).

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import Fastify from 'fastify'
import { CompactEncrypt, CompactSign, exportSPKI, importJWK, SignJWT } from 'jose'
import {
  type Anonymous,
  authenticated,
  basicScheme,
  createApi,
  type Identity,
  or,
  type Permission,
  type RequestContext,
  staff,
} from 'resource-api'
import type { Scheme } from 'resource-api/extend'
import { type AccessToken, isAccessToken, type JwtOptions, jwtScheme, requireScopes } from 'resource-api/jwt'
import { createSigningKey, type KeyServer, type SigningKey, startKeyServer } from '../support/key-server.ts'
import { type OpenIdProvider, startProvider } from '../support/openid-provider.ts'
import { people, startApi, type TestApi } from '../support/own-api.ts'

const audience = 'https://api.example.org'
const realm = 'Bearer realm="api"'

const whoami = ({ user, auth }: RequestContext) => ({
  status: 200,
  body: {
    user,
    ...(isAccessToken(auth) && { scopes: auth.scopes, groups: auth.groups, client: auth.claims.client_id }),
  },
})

const views = {
  '/whoami/': { name: 'Who Am I', permissions: [authenticated], handlers: { GET: whoami } },
  '/open/': { name: 'Open', handlers: { GET: whoami } },
  '/write/': { name: 'Write', permissions: [requireScopes('notes:write')], handlers: { GET: whoami } },
  '/either/': { name: 'Either', permissions: [or(requireScopes('notes:write'), staff)], handlers: { GET: whoami } },
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

suite('with a real provider', () => {
  let provider: OpenIdProvider
  let api: TestApi

  before(async () => {
    provider = await startProvider()
    const scheme = jwtScheme({ issuer: provider.issuer, audience, typ: 'at+jwt', requiredScopes: ['notes:read'] })
    api = await startApi({ authentication: [scheme], views }, { socket: true })
  })
  after(async () => {
    await api.stop()
    await provider.stop()
  })

  test('a token identifies its subject, and has scopes and claims', async () => {
    const response = await api.client.get('/whoami/', bearer(await provider.issueToken(audience, 'notes:read')))
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.json(), {
      user: { isAuthenticated: true, id: 'robot', username: 'robot', isStaff: false },
      scopes: ['notes:read'],
      groups: [],
      client: 'robot',
    })
  })

  test('RFC 6750 §3: without credentials, the challenge has no error', async () => {
    const response = await api.client.get('/whoami/')
    assert.equal(response.status, 401)
    assert.deepEqual(response.json(), { detail: 'Authentication credentials were not provided.' })
    assert.equal(response.headers['www-authenticate'], realm)
    assert.equal(response.headers.vary, 'Accept, Authorization')
  })

  test('a token for another API is refused', async () => {
    const token = await provider.issueToken('https://other.example.org', 'notes:read')
    const response = await api.client.get('/open/', bearer(token))
    assert.equal(response.status, 401)
    assert.deepEqual(response.json(), { detail: 'Token is for a different audience.' })
    assert.equal(
      response.headers['www-authenticate'],
      `${realm}, error="invalid_token", error_description="Token is for a different audience."`,
    )
  })

  test('RFC 6750 §3.1: a token without the scopes of the API or of the view gets 403, and the challenge names them', async () => {
    const insufficient = (scope: string) =>
      `${realm}, error="insufficient_scope", error_description="The token lacks a required scope.", scope="${scope}"`
    const writer = await provider.issueToken(audience, 'notes:write')
    const reader = await provider.issueToken(audience, 'notes:read')
    for (const [path, token, scope] of [
      ['/open/', writer, 'notes:read'],
      ['/write/', reader, 'notes:write'],
    ] as const) {
      const response = await api.client.get(path, bearer(token))
      assert.deepEqual([response.status, response.json()], [403, { detail: 'The token lacks a required scope.' }])
      assert.equal(response.headers['www-authenticate'], insufficient(scope))
    }
    const both = await provider.issueToken(audience, 'notes:read notes:write')
    assert.equal((await api.client.get('/write/', bearer(both))).status, 200)
    assert.equal((await api.client.get('/either/', bearer(both))).status, 200)
    assert.equal((await api.client.get('/either/', bearer(reader))).status, 403)
  })
})

const clock = () => new Date('2030-01-01T12:00:00Z')
const now = clock().getTime() / 1000

let keys: { readonly rsa: SigningKey; readonly ec: SigningKey; readonly ed: SigningKey; readonly foreign: SigningKey }
let server: KeyServer

before(async () => {
  const [rsa, ec, ed, foreign] = await Promise.all([
    createSigningKey('RS256', 'rsa'),
    createSigningKey('ES256', 'ec'),
    createSigningKey('EdDSA', 'ed'),
    createSigningKey('RS256', 'rsa'),
  ])
  keys = { rsa, ec, ed, foreign }
  server = await startKeyServer([rsa.publicJwk, ec.publicJwk, ed.publicJwk])
})
after(() => server.stop())

const validClaims = () => ({ iss: server.issuer, aud: audience, sub: 'ann', iat: now, exp: now + 60 })

/** Signs claims; `undefined` removes a claim or a field of the header. */
const sign = (claims: object = {}, header: object = {}, key: SigningKey = keys.rsa) =>
  new SignJWT(JSON.parse(JSON.stringify({ ...validClaims(), ...claims })))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey)

const signText = (text: string) =>
  new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256', kid: 'rsa' }).sign(keys.rsa.privateKey)

/** Signs with the text of a public key as the secret of an HMAC. */
const signHmac = (secret: string, kid: string) =>
  new SignJWT(validClaims()).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(secret))

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts an API with this scheme, sends one request, and stops the API. */
async function request(
  token: string,
  { path = '/whoami/', ...options }: Partial<JwtOptions> & { path?: string } = {},
  log?: (line: string) => void,
) {
  const scheme = jwtScheme({ issuer: server.issuer, audience, clock, ...options })
  const { client, stop } = await startApi({ authentication: [scheme], views }, log ? { log } : {})
  const response = await client.get(path, bearer(token))
  await stop()
  return response
}

/** The token is refused with 401, also where anonymous callers are welcome. */
async function assertRefused(token: string, detail: string, options: Partial<JwtOptions> = {}) {
  for (const path of ['/whoami/', '/open/']) {
    const response = await request(token, { path, ...options })
    assert.deepEqual([response.status, response.json()], [401, { detail }])
    assert.equal(response.headers['www-authenticate'], `${realm}, error="invalid_token", error_description="${detail}"`)
  }
}

suite('valid tokens', () => {
  test('each default algorithm is accepted, with or without a type', async () => {
    for (const key of [keys.rsa, keys.ec, keys.ed]) {
      for (const typ of [undefined, 'JWT', 'at+jwt', 'application/at+JWT'])
        assert.equal((await request(await sign({}, { typ }, key))).status, 200, `${key.alg} ${typ}`)
    }
  })

  test('the clocks may differ by the tolerance', async () => {
    for (const claims of [{ exp: now - 5 }, { nbf: now + 8 }, { iat: now + 8 }]) {
      const token = await sign(claims)
      assert.equal((await request(token, { clockTolerance: 10 })).status, 200)
      assert.equal((await request(token, { clockTolerance: 0 })).status, 401)
    }
  })

  test('one audience of several is enough', async () => {
    assert.equal((await request(await sign({ aud: ['x', audience] }))).status, 200)
    assert.equal((await request(await sign({ aud: 'b' }), { audience: ['a', 'b'] })).status, 200)
  })

  test('the default user has the claims sub and preferred_username', async () => {
    for (const [name, username] of [
      ['Ann', 'Ann'],
      ['', 'ann'],
      [7, 'ann'],
      ['a\0b', 'ann'],
    ]) {
      const { user } = (await request(await sign({ preferred_username: name }))).json()
      assert.deepEqual(user, { isAuthenticated: true, id: 'ann', username, isStaff: false })
    }
  })

  test('the option user maps the claims to a user, or refuses them', async () => {
    const user: JwtOptions['user'] = async ({ claims, groups }) =>
      claims.sub === 'ann' ? { ...people.ann, isStaff: groups.includes('admins') } : undefined
    const options = { user, groups: 'roles' }
    const response = await request(await sign({ roles: ['admins', 5] }), options)
    assert.deepEqual(response.json(), { user: { ...people.ann, isStaff: true }, scopes: [], groups: ['admins'] })
    await assertRefused(await sign({ sub: 'bob' }), 'User inactive or deleted.', options)
  })

  test('the callers have the type that the option user returns', async () => {
    interface Member extends Identity {
      readonly isAuthenticated: true
      readonly tenant: string
    }
    const toMember = ({ claims }: AccessToken): Member => ({
      ...people.ann,
      isAuthenticated: true,
      tenant: String(claims.tenant),
    })
    const acme: Permission<Member | Anonymous> = {
      allows: ({ user }) => user.isAuthenticated && user.tenant === 'acme',
    }
    const scheme = jwtScheme({ issuer: server.issuer, audience, clock, user: toMember })
    await using app = Fastify()
    await app.register(
      createApi<Member | Anonymous>({
        views: { '/member/': { name: 'Member', permissions: [acme], handlers: { GET: whoami } } },
        authentication: [scheme],
      }),
    )
    for (const [tenant, status] of [
      ['acme', 200],
      ['other', 403],
    ] as const)
      assert.equal((await app.inject({ url: '/member/', ...bearer(await sign({ tenant })) })).statusCode, status)
    // @ts-expect-error: without the option user, the callers have no tenant.
    const untyped: Scheme<Member> = jwtScheme({ issuer: server.issuer, audience })
    assert.equal(untyped.name, 'jwt')
  })

  test('groups and scopes are read from texts and lists', async () => {
    for (const [claims, groups] of [
      [{ realm_access: { roles: ['a', 'b'] } }, ['a', 'b']],
      [{ realm_access: { roles: 'a b' } }, ['a', 'b']],
      [{ realm_access: null }, []],
      [{ realm_access: 'roles' }, []],
    ] as const) {
      const response = await request(await sign(claims), { groups: ['realm_access', 'roles'] })
      assert.deepEqual(response.json().groups, groups)
    }
    for (const claims of [{ scope: 'a b' }, { scp: ['a', 'b', 1] }, { scp: 'a b' }])
      assert.deepEqual((await request(await sign(claims))).json().scopes, ['a', 'b'])
  })

  test('RFC 7519 §4: of a repeated claim, the last one counts', async () => {
    const { sub, ...claims } = validClaims()
    const text = `{"sub":"${sub}","sub":"bob",${JSON.stringify(claims).slice(1)}`
    assert.equal((await request(await signText(text))).json().user.id, 'bob')
  })

  test('keyword, realm and resource metadata are configurable', async () => {
    const resourceMetadata = 'https://api.example.org/.well-known/oauth-protected-resource'
    const scheme = jwtScheme({
      issuer: server.issuer,
      audience,
      clock,
      keyword: 'JWT',
      realm: 'notes',
      resourceMetadata,
    })
    const { client, stop } = await startApi({ authentication: [scheme], views })
    const token = await sign()
    const accepted = await client.get('/whoami/', { headers: { authorization: `jwt ${token}` } })
    const skipped = await client.get('/whoami/', bearer(token))
    await stop()
    assert.equal(accepted.status, 200)
    assert.equal(skipped.status, 401)
    assert.equal(skipped.headers['www-authenticate'], `JWT realm="notes", resource_metadata="${resourceMetadata}"`)
  })

  test('AUTH-GEN-5: after a scheme without a challenge, refusals are 403', async () => {
    const scheme = jwtScheme({ issuer: server.issuer, audience, clock })
    const first = { name: 'first', varyOn: [], authenticate: () => undefined }
    const basic = basicScheme({ verify: async () => undefined })
    for (const [before, status, header] of [
      [first, 403, undefined],
      [basic, 401, `${realm}, error="invalid_token", error_description="Invalid token."`],
    ] as const) {
      const { client, stop } = await startApi({ authentication: [before, scheme], views })
      const response = await client.get('/open/', bearer('x'))
      await stop()
      assert.deepEqual([response.status, response.headers['www-authenticate']], [status, header])
    }
  })
})

/** Differs in bits that a signature of 256 bytes does not have. */
const nextCharacter = (character: string) => String.fromCharCode(character.charCodeAt(0) + 1)

suite('refused tokens (RFC 8725)', () => {
  test('claims that are wrong, missing or of the wrong type', async () => {
    for (const [claims, detail] of [
      [{ iss: 'https://login.example.org' }, 'Token is from a different issuer.'],
      [{ iss: [`${server.issuer}`] }, 'Token is from a different issuer.'],
      [{ iss: `${server.issuer}/` }, 'Token is from a different issuer.'],
      [{ iss: undefined }, 'Token is from a different issuer.'],
      [{ aud: 'https://api.example.org/' }, 'Token is for a different audience.'],
      [{ aud: [] }, 'Token is for a different audience.'],
      [{ aud: undefined }, 'Token is for a different audience.'],
      [{ aud: { [audience]: true } }, 'Token is for a different audience.'],
      [{ exp: now - 5 }, 'Token has expired.'],
      [{ exp: undefined }, 'Token has no valid expiry.'],
      [{ exp: String(now + 60) }, 'Token has no valid expiry.'],
      [{ exp: null }, 'Token has no valid expiry.'],
      [{ nbf: now + 6 }, 'Token is not valid yet.'],
      [{ nbf: 'never' }, 'Token is not valid yet.'],
      [{ iat: now + 6 }, 'Token was issued in the future.'],
      [{ iat: 'now' }, 'Invalid token.'],
      [{ sub: undefined }, 'Token has no valid subject.'],
      [{ sub: 1 }, 'Token has no valid subject.'],
      [{ sub: '' }, 'Token has no valid subject.'],
      [{ sub: ['ann'] }, 'Token has no valid subject.'],
      [{ sub: null }, 'Token has no valid subject.'],
      [{ sub: 'a\0' }, 'Token has no valid subject.'],
      [{ sub: 'a'.repeat(256) }, 'Token has no valid subject.'],
      [{ cnf: { jkt: 'x' } }, 'Token is bound to a key, which cannot be verified here.'],
    ] as const)
      await assertRefused(await sign(claims), detail)
  })

  test('claims that never expire, hold half a character, or are no object', async () => {
    const { exp, ...claims } = validClaims()
    const rest = JSON.stringify(claims).slice(1)
    await assertRefused(await signText(`{"exp":1e400,${rest}`), 'Token has no valid expiry.')
    const lone = JSON.stringify({ ...validClaims(), sub: 'X' }).replace('"X"', '"\\ud800"')
    await assertRefused(await signText(lone), 'Token has no valid subject.')
    for (const text of ['', 'null', '[]', '"ann"', '{', '\ufeffnull'])
      await assertRefused(await signText(text), 'Invalid token.')
    await assertRefused(await signText(`${'['.repeat(3000)}`), 'Invalid token.')
  })

  test('no signature, in any spelling', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, undefined, ['RS256']]) {
      const unsigned = `${encode({ alg, kid: 'rsa' })}.${encode(validClaims())}.`
      await assertRefused(unsigned, 'Invalid token.')
      await assertRefused(`${unsigned}${(await sign()).split('.')[2]}`, 'Invalid token.')
    }
  })

  test('an HMAC whose secret is the public key', async () => {
    const pem = await exportSPKI((await importJWK(keys.rsa.publicJwk, 'RS256', { extractable: true })) as never)
    for (const secret of [pem, pem.trim(), JSON.stringify(keys.rsa.publicJwk), keys.rsa.publicJwk.n!])
      await assertRefused(await signHmac(secret, 'rsa'), 'Invalid token.')
  })

  test('an HMAC whose secret the provider publishes', async () => {
    const secret = 's'.repeat(32)
    const oct = { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct', alg: 'HS256' }
    const other = await startKeyServer([keys.rsa.publicJwk, oct])
    const token = await new SignJWT({ ...validClaims(), iss: other.issuer })
      .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
      .sign(Buffer.from(secret))
    await assertRefused(token, 'Invalid token.', { issuer: other.issuer })
    await other.stop()
  })

  test('algorithms that are not listed', async () => {
    await assertRefused(await sign({}, {}, keys.ec), 'Invalid token.', { algorithms: ['RS256', 'EdDSA'] })
    const rs512 = { ...keys.rsa, alg: 'RS512' }
    const token = await new SignJWT(validClaims())
      .setProtectedHeader({ alg: 'RS512', kid: 'rsa' })
      .sign(await importJWK(await exportPrivate(rs512), 'RS512'))
    await assertRefused(token, 'Invalid token.')
  })

  test('a key of another type than the algorithm', async () => {
    for (const [key, kid] of [
      [keys.rsa, 'ec'],
      [keys.ec, 'rsa'],
      [keys.ed, 'ec'],
    ] as const)
      await assertRefused(await sign({}, { kid }, key), 'Invalid token.')
  })

  test('a foreign key, named by its id or embedded in the header', async () => {
    const jwk = keys.foreign.publicJwk
    for (const header of [
      {},
      { kid: undefined },
      { jwk },
      { kid: undefined, jwk },
      { jku: `${server.issuer}/foreign` },
      { x5u: `${server.issuer}/foreign` },
      { x5c: ['MIIB'] },
    ])
      await assertRefused(await sign({}, header, keys.foreign), 'Invalid token.')
    assert.ok(!server.requests.includes('/foreign'))
  })

  test('an id of a key that is a path, a URL, SQL or no text', async () => {
    for (const kid of [
      '../../../../dev/null',
      '/dev/null',
      `${server.issuer}/foreign`,
      "' or 1=1 --",
      '__proto__',
      'constructor',
      'rsa\0',
      '',
      0,
      null,
      {},
      ['rsa'],
    ])
      await assertRefused(await sign({}, { kid }), 'Invalid token.')
    assert.ok(!server.requests.includes('/foreign'))
  })

  test('critical header fields', async () => {
    const header = { alg: 'RS256', kid: 'rsa' }
    for (const extra of [
      { crit: ['exp'], exp: 1 },
      { crit: ['urn:x'], 'urn:x': true },
      { crit: [] },
      { crit: 'exp' },
    ]) {
      const input = `${encode({ ...header, ...extra })}.${encode(validClaims())}`
      await assertRefused(`${input}.${await signature(input)}`, 'Invalid token.')
    }
    const b64 = await new CompactSign(Buffer.from(JSON.stringify(validClaims())))
      .setProtectedHeader({ ...header, b64: true, crit: ['b64'] })
      .sign(keys.rsa.privateKey)
    assert.equal((await request(b64)).status, 200)
  })

  test('a changed, truncated or repeated part', async () => {
    const token = await sign()
    const [header, claims, signature] = token.split('.') as [string, string, string]
    for (const changed of [
      `${header}.${encode({ ...validClaims(), sub: 'sue' })}.${signature}`,
      `${header}.${claims}.${signature.slice(0, -2)}`,
      `${header}.${claims}.${signature.slice(0, 10)}`,
      `${header}.${claims}.`,
      `${header}.${claims}`,
      `${header}.${claims}.${signature}.`,
      `${header}.${claims}.${signature}.${signature}`,
      `.${claims}.${signature}`,
      `${header}..${signature}`,
      `${token}=`,
      `${token}==`,
      `${token.slice(0, -1)}${nextCharacter(token.at(-1)!)}`,
      `${header}==.${claims}.${signature}`,
      `${header}.${claims}.${signature.slice(0, 20)}!${signature.slice(20)}`,
      `${encode('text')}.${claims}.${signature}`,
      `${encode(null)}.${claims}.${signature}`,
      '.',
      '..',
      'x',
      '\xe9',
    ])
      await assertRefused(changed, 'Invalid token.')
  })

  test('a blank token, and a token with a space', async () => {
    for (const [authorization, detail] of [
      ['Bearer', 'Invalid token header. No credentials provided.'],
      ['Bearer  ', 'Invalid token header. No credentials provided.'],
      ['Bearer a b', 'Invalid token header. Token string should not contain spaces.'],
    ] as const) {
      const scheme = jwtScheme({ issuer: server.issuer, audience, clock })
      const { client, stop } = await startApi({ authentication: [scheme], views })
      const response = await client.get('/open/', { headers: { authorization } })
      await stop()
      assert.deepEqual([response.status, response.json()], [401, { detail }])
    }
  })

  test('RFC 8725 §3.11: signed tokens of other types', async () => {
    for (const typ of ['id_token+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt', 'JOSE', '', 1])
      await assertRefused(await sign({}, { typ }), 'Token is of a different type.')
    for (const typ of [undefined, 'JWT', 'at+jwt2', 'application/application/at+jwt'])
      await assertRefused(await sign({}, { typ }), 'Token is of a different type.', { typ: 'at+jwt' })
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
      assert.equal((await request(await sign({}, { typ }), { typ: 'at+jwt' })).status, 200)
  })

  test('encrypted and nested tokens, with and without compression', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const nested = await new CompactEncrypt(Buffer.from(await sign()))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'rsa' })
      .encrypt(publicKey)
    await assertRefused(nested, 'Invalid token.')
    await assertRefused(await signText(await sign()), 'Invalid token.')
    const bomb = deflateRawSync(Buffer.alloc(2_000_000, 'a')).toString('base64url')
    const input = `${encode({ alg: 'RS256', kid: 'rsa', zip: 'DEF' })}.${bomb}`
    await assertRefused(`${input}.${await signature(input)}`, 'Invalid token.')
    const header = encode({ alg: 'dir', enc: 'A128GCM', zip: 'DEF' })
    await assertRefused(`${header}..${bomb}.${bomb}.AAAA`, 'Invalid token.')
  })

  test('a token that is too long', async () => {
    const token = await sign({ padding: 'x'.repeat(9000) })
    await assertRefused(token, 'Token is too long.')
    await assertRefused('x'.repeat(5_000_000), 'Token is too long.')
    assert.equal((await request(token, { maxTokenLength: 16_000 })).status, 200)
  })

  test('the log names the reason, but no part of the token', async () => {
    const lines: string[] = []
    const scheme = jwtScheme({ issuer: server.issuer, audience, clock })
    const { app, client, stop } = await startApi({ authentication: [scheme], views }, { log: line => lines.push(line) })
    app.log.level = 'debug'
    const token = await sign({ aud: 'other', email: 'ann@example.org' })
    await client.get('/open/', bearer(token))
    await stop()
    const log = lines.join('')
    assert.match(log, /a token was refused/)
    for (const part of [...token.split('.'), 'ann@example.org']) assert.ok(!log.includes(part))
  })
})

async function exportPrivate({ privateKey, kid }: SigningKey) {
  const { exportJWK } = await import('jose')
  return { ...(await exportJWK(privateKey)), kid }
}

/** Signs a header that the library would not sign. */
async function signature(input: string): Promise<string> {
  const bytes = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', keys.rsa.privateKey, Buffer.from(input))
  return Buffer.from(bytes).toString('base64url')
}
