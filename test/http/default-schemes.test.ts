// The default authentication schemes (AUTH-GEN-3).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { authenticated, createCsrf, type RequestContext } from 'resource-api'
import type { DefaultSchemeOptions } from '#core'
import { openBrowser } from '../support/browser.ts'
import { people, startApi, userScheme } from '../support/own-api.ts'
import { onEveryDatabase, password } from '../support/service.ts'

const csrf = createCsrf({ secret: 's'.repeat(40) })

const accounts: DefaultSchemeOptions = {
  verify: async (username, secret) => (username === 'ann' && secret === 'secret' ? people.ann : undefined),
  findSession: async id => (id === 'of bob' ? people.bob : undefined),
  csrf,
}

const views = {
  '/whoami/': {
    name: 'Who Am I',
    permissions: [authenticated],
    handlers: { GET: ({ user, auth }: RequestContext) => ({ status: 200, body: { user, auth } }) },
  },
}

const session = { headers: { cookie: 'sessionid=of%20bob' } }

test('AUTH-GEN-3, AUTH-GEN-1: the defaults are session and basic, in that order', async () => {
  const { client, stop } = await startApi({ accounts, views })
  const bySession = await client.get('/whoami/', session)
  const byPassword = await client.get('/whoami/', { basic: 'ann:secret' })
  const byBoth = await client.get('/whoami/', { ...session, basic: 'ann:secret' })
  const anonymous = await client.get('/whoami/')
  const failed = await client.get('/whoami/', { basic: 'ann:wrong' })
  await stop()
  assert.deepEqual(bySession.json(), { user: people.bob, auth: null })
  assert.deepEqual(byPassword.json(), { user: people.ann, auth: null })
  assert.deepEqual(byBoth.json(), { user: people.bob, auth: null })
  for (const refused of [anonymous, failed]) {
    assert.equal(refused.status, 403)
    assert.equal(refused.headers['www-authenticate'], undefined)
  }
  assert.equal(anonymous.headers.vary, 'Accept, Cookie, Authorization')
})

test('AUTH-GEN-3: an empty list or a custom list replaces the defaults', async () => {
  for (const authentication of [[], [userScheme]]) {
    const { client, stop } = await startApi({ accounts, authentication, views })
    for (const options of [session, { basic: 'ann:secret' }])
      assert.notEqual((await client.get('/whoami/', options)).status, 200)
    await stop()
  }
})

test('AUTH-GEN-3: the schemes of a view replace the defaults', async () => {
  const viewsWithSchemes = { '/whoami/': { ...views['/whoami/'], authentication: [userScheme] } }
  const { client, stop } = await startApi({ accounts, views: viewsWithSchemes })
  const refused = await client.get('/whoami/', session)
  await stop()
  assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'User'])
})

suite('the service', () => {
  onEveryDatabase({ profiles: ['directory'], authentication: null }, service => {
    test('AUTH-GEN-3: null selects the defaults of the framework', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const browser = openBrowser(client)
      await browser.logIn('ann')
      assert.equal((await browser.get('/users/')).status, 200)
      assert.equal((await client.get('/users/', { basic: `ann:${password}` })).status, 200)
      assert.equal((await client.get('/users/', { token })).status, 403)
    })
  })

  onEveryDatabase({ profiles: ['directory'], authentication: null, schemes: [userScheme] }, service => {
    test('AUTH-GEN-3: custom schemes follow the defaults', async () => {
      const { client, createUser } = service()
      await createUser('ann')
      assert.equal((await client.get('/users/', { basic: `ann:${password}` })).status, 200)
      assert.equal((await client.get('/users/', { headers: { 'x-user': 'ann' } })).status, 200)
      assert.equal((await client.get('/users/')).status, 403)
    })
  })

  onEveryDatabase({ profiles: ['directory'], authentication: [] }, service => {
    test('AUTH-GEN-3: with an empty list there is no authentication', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      for (const options of [{ token }, { basic: `ann:${password}` }]) {
        const refused = await client.get('/users/', options)
        assert.equal(refused.status, 403)
        assert.deepEqual(refused.json(), { detail: 'You do not have permission to perform this action.' })
      }
    })
  })
})
