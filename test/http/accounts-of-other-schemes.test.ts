// Callers whom a scheme of the application identifies, in a service: they need an account to own something, and the setting
// `schemes` finds or creates it.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { SignJWT } from 'jose'
import { authenticatedOrReadOnly, key, ownerOrReadOnly, resource, text, via } from 'resource-api'
import { germanAccounts, requireAccountId } from 'resource-api/accounts'
import { type Scheme, skip, success } from 'resource-api/extend'
import { jwtScheme } from 'resource-api/jwt'
import { profile, readSettings } from 'resource-api/service'
import { testService } from 'resource-api/testing'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { createSigningKey, type KeyServer, type SigningKey, startKeyServer } from '../support/key-server.ts'
import { onEveryDatabase } from '../support/service.ts'

/** `X-Subject: ann` identifies a caller whose id is a text. */
const subjects: Scheme = {
  name: 'subject',
  challenge: 'Subject',
  varyOn: ['x-subject'],
  authenticate({ headers: { 'x-subject': subject } }) {
    return typeof subject === 'string'
      ? success({ isAuthenticated: true, id: subject, username: subject, isStaff: false })
      : skip
  },
}
const asSubject = (subject: string) => ({ headers: { 'x-subject': subject } })

const notes = resource('notes', {
  table: 'notes',
  fields: {
    id: key(),
    title: text({ max: 100 }),
    owner: text({ source: via('owner_id', 'users', 'username') }),
  },
  bulk: 'each',
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  hookColumns: ['owner_id'],
  prepare: ({ action, user }) => (action === 'create' ? { owner_id: requireAccountId(user) } : {}),
})
const board = resource('board', { ...notesOptions(), permissions: [] })

function notesOptions() {
  return {
    table: 'notes',
    fields: { title: text({ max: 100 }) },
    hookColumns: ['owner_id'],
    prepare: ({ user }: { readonly user: Parameters<typeof requireAccountId>[0] }) => ({
      owner_id: requireAccountId(user),
    }),
  } as const
}

const readOwner = (response: { json(): unknown }) => (response.json() as { readonly owner: string }).owner

const pad = profile('pad', {
  resources: [notes, board],
  migrations: {
    async '0001_notes'({ schema }, { key, reference, text }) {
      await schema
        .createTable('notes')
        .addColumn('id', key)
        .addColumn('title', text, column => column.notNull())
        .addColumn('owner_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
        .execute()
    },
  },
})

onEveryDatabase(
  {
    profiles: [pad],
    authentication: ['token'],
    schemes: [subjects],
    languages: { de: germanAccounts as never },
  },
  service => {
    const needsAccount = { detail: 'You need an account to do this.' }

    test('AUTH-GEN-5: a caller without an account who creates an owned object gets 403 with a sentence', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      for (const url of ['/notes/', '/board/']) {
        const refused = await client.post(url, { ...asSubject('ann'), json: { title: 'A' } })
        assert.deepEqual([refused.status, refused.json()], [403, needsAccount])
        assert.equal((await client.post(url, { token, json: { title: 'A' } })).status, 201)
      }
      const many = await client.post('/notes/', { ...asSubject('ann'), json: [{ title: 'A' }] })
      assert.deepEqual([many.status, many.json()], [207, [{ status: 403, body: needsAccount }]])
      const german = await client.post('/notes/', {
        headers: { 'x-subject': 'ann', 'accept-language': 'de' },
        json: { title: 'A' },
      })
      assert.deepEqual([german.status, german.json()], [403, { detail: 'Dafür brauchen Sie ein Konto.' }])
    })

    test('AUTH-GEN-5: an anonymous caller is asked for credentials instead', async () => {
      const { client } = service()
      const refused = await client.post('/board/', { json: { title: 'A' } })
      assert.deepEqual(
        [refused.status, refused.json()],
        [401, { detail: 'Authentication credentials were not provided.' }],
      )
    })
  },
)

for (const database of ['sqlite', 'postgres'] as const)
  suite(`the accounts of a provider, ${database}`, () => {
    const audience = 'https://api.example.org'
    let [provider, signingKey]: [KeyServer?, SigningKey?] = []
    before(async () => {
      signingKey = await createSigningKey('ES256', 'first')
      provider = await startKeyServer([signingKey.publicJwk])
    })
    after(() => provider?.stop())

    const start = (createUsers: boolean) =>
      testService(
        {
          profiles: [pad],
          authentication: [],
          schemes: ({ accounts: { users } }) => [
            jwtScheme({
              issuer: provider!.issuer,
              audience,
              user: ({ claims: { sub, preferred_username: name } }) =>
                createUsers
                  ? users.findOrCreateByRemoteIdentity(sub, String(name ?? sub))
                  : users.findByRemoteIdentity(sub),
            }),
          ],
        },
        { database },
      )
    const bearer = async (subject: string, claims = {}) => {
      const { alg, kid, privateKey } = signingKey!
      const token = new SignJWT(claims).setProtectedHeader({ alg, kid }).setSubject(subject)
      const signed = await token
        .setIssuer(provider!.issuer)
        .setAudience(audience)
        .setExpirationTime('1h')
        .sign(privateKey)
      return { headers: { authorization: `Bearer ${signed}` } }
    }

    test('AUTH-SCH-6: the setting schemes gets the accounts, so a token is that of a linked account', async () => {
      await using api = await start(false)
      const { users } = api.services.accounts
      const ann = await api.user('ann')
      await users.linkRemoteIdentity(ann.id, 'f0e1')
      const created = await api.post('/notes/', { title: 'A' }, await bearer('f0e1')).expect(201)
      assert.equal(readOwner(created), 'ann')
      const unknown = await api.post('/notes/', { title: 'A' }, await bearer('ann'))
      assert.deepEqual([unknown.status, unknown.json()], [401, { detail: 'User inactive or deleted.' }])
    })

    test('AUTH-SCH-6: a token of a deactivated account is refused, although the provider still signs it', async () => {
      await using api = await start(false)
      const { users } = api.services.accounts
      const ann = await api.user('ann', { active: false })
      await users.linkRemoteIdentity(ann.id, 'f0e1')
      const refused = await api.post('/notes/', { title: 'A' }, await bearer('f0e1'))
      assert.deepEqual([refused.status, refused.json()], [401, { detail: 'User inactive or deleted.' }])
    })

    test('AUTH-SCH-6: an account is created once for a new subject, and never taken over by its name', async () => {
      await using api = await start(true)
      const { users } = api.services.accounts
      const headers = await bearer('f0e1', { preferred_username: 'ann' })
      const responses = await Promise.all(Array.from({ length: 5 }, () => api.post('/notes/', { title: 'A' }, headers)))
      assert.deepEqual(
        responses.map(response => [response.status, readOwner(response)]),
        Array(5).fill([201, 'ann']),
      )
      const renamed = await api.post('/notes/', { title: 'B' }, await bearer('f0e1', { preferred_username: 'zoe' }))
      assert.equal(readOwner(renamed), 'ann')
      const other = await api.post('/notes/', { title: 'C' }, await bearer('77aa', { preferred_username: 'Ann' }))
      assert.deepEqual([other.status, other.json()], [401, { detail: 'A user with that username already exists.' }])
      assert.equal(await users.findByRemoteIdentity('77aa'), undefined)
      const invalid = await api.post('/notes/', { title: 'D' }, await bearer('88bb', { preferred_username: 'a b' }))
      assert.deepEqual([invalid.status, invalid.json()], [401, { detail: 'User inactive or deleted.' }])
    })
  })

test('a wrong value of the setting schemes is an error at start that says what to write', async () => {
  const message = 'must be authentication schemes, such as [jwtScheme({ … })], or a function that returns them'
  for (const wrong of [{}, 'jwt', [subjects, {}], [null]])
    assert.throws(() => readSettings({ file: { schemes: wrong as never } }), {
      name: SettingsError.name,
      message: `schemes (config file): ${message}, not ${JSON.stringify(wrong)}`,
    })
  for (const [create, problem] of [
    [() => subjects, message],
    [async () => [subjects], message],
    [() => undefined, message],
    [
      () => {
        throw new Error('no issuer')
      },
      'no issuer',
    ],
  ] as const)
    await assert.rejects(testService({ profiles: [pad], schemes: create as never }), {
      name: SettingsError.name,
      message: `schemes (config file): ${problem}`,
    })
})
