// The settings `messages`, `languages` and `catalogues` of a service apply to all of its APIs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { german } from 'resource-api'
import { germanAccounts } from 'resource-api/accounts'
import { germanSnippets } from 'resource-api/snippets'
import { toReadableText } from '../support/html.ts'
import { onEveryDatabase } from '../support/service.ts'

const options = {
  languages: { de: { ...german, ...germanAccounts, ...germanSnippets } },
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

  test('SVC-7: the administration, the profiles and the reference have German names', async () => {
    const { client, createUser } = service()
    const { key } = await createUser('chief', { superuser: true, staff: true })
    const open = async (path: string) =>
      toReadableText((await client.get(path, { headers: { ...headers, accept: 'text/html' }, token: key })).text)
    const expected: Readonly<Record<string, readonly RegExp[]>> = {
      '/admin/': [/<a href="\/admin\/users\/">Benutzer</, /<a href="\/admin\/audit-log\/">Audit-Protokoll</],
      '/admin/users/': [/<h1 dir="auto">Benutzer</, /Alle Benutzerkonten\./, />E-Mail-Adresse</, />Neu: Benutzer</],
      '/admin/users/?new': [
        /<legend>Rechte<\/legend>/,
        /Nur Buchstaben|nur Buchstaben/,
        /<legend>Berechtigungen<\/legend>/,
        /<th scope="row">Gruppen<\/th>/,
        /aria-label="Gruppen: ansehen"/,
      ],
      '/admin/audit-log/?outcome=failure': [/>Ausgang: <b>Fehlschlag</, /<option value="login" *>Anmeldung</],
      '/admin/tokens/': [/<h1 dir="auto">Token</],
      '/directory/users/': [/<h1 dir="auto">Benutzer</],
      '/snippet/snippets/?new': [/>Zeilennummern</, />Sprache</],
      '/docs/directory-users/': [/>Benutzer auflisten </, /<p>E-Mail-Adresse/],
    }
    for (const [path, patterns] of Object.entries(expected)) {
      const page = await open(path)
      for (const pattern of patterns) assert.match(page, pattern, path)
    }
  })
})
