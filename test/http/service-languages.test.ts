// The settings `messages`, `languages` and `catalogues` of a service apply to all of its APIs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { german } from 'resource-api'
import { germanAccounts } from 'resource-api/accounts'
import { onEveryDatabase } from '../support/service.ts'

const options = {
  languages: { de: { ...german, ...germanAccounts } },
  messages: { 'authentication_failed.token': 'Unknown token.' },
}

onEveryDatabase(options, service => {
  const headers = { 'accept-language': 'de' }

  test('ERR-MSG-r2: refusals and missing objects are in the language, in every API', async () => {
    const { client } = service()
    assert.deepEqual((await client.get('/users/77/', { headers })).json(), { detail: 'Nicht gefunden.' })
    const refused = await client.get('/admin/users/', { headers })
    assert.deepEqual(refused.json(), { detail: 'Es wurden keine Zugangsdaten angegeben.' })
    const unknown = { ...headers, authorization: 'Token abc' }
    assert.deepEqual((await client.get('/admin/users/', { headers: unknown })).json(), { detail: 'Ungültiges Token.' })
    const english = await client.get('/admin/users/', { headers: { authorization: 'Token abc' } })
    assert.deepEqual(english.json(), { detail: 'Unknown token.' })
  })

  test('END-TOKEN-1: the errors of accounts are in the language', async () => {
    const { client, createUser } = service()
    const json = { username: 'nobody', password: 'wrong password' }
    assert.deepEqual((await client.post('/api-token-auth/', { json, headers })).json(), {
      non_field_errors: ['Die Anmeldung mit diesen Zugangsdaten ist nicht möglich.'],
    })
    const { key } = await createUser('root', { superuser: true, staff: true })
    const taken = await client.post('/admin/users/', {
      json: { username: 'Root', password: 'a long password 1' },
      token: key,
      headers,
    })
    assert.deepEqual(taken.json(), { username: ['Dieser Benutzername ist bereits vergeben.'] })
  })
})
