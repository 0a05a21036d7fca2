// The login throttle, at the token endpoint and in Basic authentication (LIM-THR, ERR-EXC-r10).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createService, openServices } from 'resource-api/service'
import { type Client, injectClient } from '../support/client.ts'
import { onEveryDatabase, password } from '../support/service.ts'

const loginThrottle = { perAccount: '3/5 minutes', perAddress: '5/hour' }
const url = '/api-token-auth/'
const loginFailed = { non_field_errors: ['Unable to log in with provided credentials.'] }

onEveryDatabase(
  { profiles: ['directory'], authentication: ['basic'], trustedProxies: ['127.0.0.1'], loginThrottle },
  service => {
    before(() => service().createUser('ann'))

    const forwardedFor = (address: string) => ({ 'x-forwarded-for': address })
    const login = (address: string, username: string, secret: string, client: Client = service().client) =>
      client.post(url, { headers: forwardedFor(address), json: { username, password: secret } })
    const basic = (address: string, username: string, secret: string) =>
      service().client.get('/users/', { headers: forwardedFor(address), basic: `${username}:${secret}` })

    test('ERR-EXC-r10, ERR-GAP-b2: after too many failures an address is throttled, even with the right password', async () => {
      for (let failures = 0; failures < 3; failures++)
        assert.deepEqual((await login('192.0.2.1', 'ann', 'wrong')).json(), loginFailed)
      const refusal = await login('192.0.2.1', 'ann', password)
      const wait = Number(refusal.headers['retry-after'])
      assert.ok(refusal.status === 429 && wait > 200 && wait <= 300, String(wait))
      assert.deepEqual(refusal.json(), { detail: `Request was throttled. Expected available in ${wait} seconds.` })
      assert.equal((await basic('192.0.2.1', 'ann', password)).status, 429)
    })

    test('the account owner logs in from another address', async () => {
      for (let failures = 0; failures < 4; failures++) await login('192.0.2.2', 'ann', 'wrong')
      assert.equal((await login('192.0.2.2', 'ann', password)).status, 429)
      assert.equal((await login('192.0.2.3', 'ann', password)).status, 200)
      assert.equal((await basic('192.0.2.3', 'ann', password)).status, 200)
    })

    test('ERR-EXC-r10: unknown and existing accounts are throttled alike', async () => {
      const readRefusals = async (address: string, username: string) => {
        const responses = []
        for (let failures = 0; failures < 5; failures++) {
          const { status, headers, text } = await login(address, username, 'wrong')
          // A second may pass between two logins on a busy machine.
          const waits = Number(headers['retry-after'] ?? 0) > 0
          responses.push({ status, text: text.replace(/\d+ seconds/, 'n seconds'), waits })
        }
        return responses
      }
      assert.deepEqual(await readRefusals('192.0.2.4', 'nobody'), await readRefusals('192.0.2.5', 'ann'))
    })

    test('ERR-EXC-r10: one address cannot try many accounts', async () => {
      const statuses = []
      for (const name of ['a', 'b', 'c', 'd', 'e', 'ann', 'f'])
        statuses.push((await basic('192.0.2.6', name, password)).status)
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
    })

    test('ERR-EXC-r10: concurrent guesses at two services are verified only up to the rate', async () => {
      const { services, client, statements } = service()
      const otherParts = openServices(services.settings)
      const app = await createService(otherParts)
      const clients = [client, injectClient(app)]
      const countVerifications = () => statements.filter(sql => /from users where/.test(sql)).length
      const before = countVerifications()
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, index) => login('192.0.2.7', 'ann', `guess ${index}`, clients[index % 2]!)),
      )
      const statuses = responses.map(({ status }) => status)
      assert.equal(statuses.filter(status => status === 400).length, 3)
      assert.equal(statuses.filter(status => status === 429).length, 97)
      assert.ok(countVerifications() - before <= 3)
      await app.close()
      await otherParts.close()
    })

    test('END-TOKEN-2: successful logins are never throttled, even concurrent ones', async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => login('192.0.2.8', 'ann', password)))
      assert.ok(responses.every(({ status }) => status === 200))
      const read = await Promise.all(Array.from({ length: 20 }, () => basic('192.0.2.8', 'ann', password)))
      assert.ok(read.every(({ status }) => status === 200))
    })

    test('a request without credentials does not count as an attempt', async () => {
      const { client } = service()
      const headers = forwardedFor('192.0.2.9')
      for (let failures = 0; failures < 7; failures++)
        assert.equal((await client.post(url, { headers, json: { username: 'ann' } })).status, 400)
      assert.equal((await login('192.0.2.9', 'ann', password)).status, 200)
    })

    test('addresses that a client puts into X-Forwarded-For are ignored', async () => {
      const statuses = []
      for (let attempt = 0; attempt < 4; attempt++)
        statuses.push((await login(`198.51.100.${attempt}, 192.0.2.10`, 'ann', 'wrong')).status)
      assert.deepEqual(statuses, [400, 400, 400, 429])
    })
  },
)
