// The database contains no token, session id or password in plain text.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'

for (const tokens of ['single', 'named'] as const) {
  onEveryDatabase({ tokens }, service => {
    test(`RES-TOKEN-r1, AUTH-SCH-r3: neither a dump nor the files contain a secret in plain text (${tokens} tokens)`, async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann', { staff: true })
      const issued = (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json().token
      const browser = openBrowser(client)
      await browser.logIn('ann')
      const secrets = [key, issued, browser.cookies.get('sessionid')!, browser.cookies.get('csrftoken')!, password]
      const dumped = await dumpDatabase(service())
      assert.ok(dumped.includes('ann'))
      for (const secret of secrets) {
        assert.ok(secret.length > 20)
        assert.ok(!dumped.includes(secret), secret)
      }
    })
  })
}

// All rows of all tables as JSON, and on SQLite also the bytes of the database files.
async function dumpDatabase({ services }: TestService): Promise<string> {
  const { database, settings } = services
  const tables = await database.kysely.introspection.getTables()
  assert.ok(tables.length > 8)
  const rows = await Promise.all(tables.map(({ name }) => database.kysely.selectFrom(name).selectAll().execute()))
  return JSON.stringify(rows) + (await readDatabaseFiles(settings.databaseUrl))
}

async function readDatabaseFiles(url: string): Promise<string> {
  if (!url.startsWith('sqlite:')) return ''
  const folder = dirname(url.slice('sqlite:'.length))
  const files = await readdir(folder)
  return (await Promise.all(files.map(name => readFile(join(folder, name), 'latin1')))).join('')
}
