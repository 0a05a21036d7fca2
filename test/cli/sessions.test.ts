// The logs and files of a running service contain no session secrets.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCsrfToken, loginUrl, logoutUrl, openBrowser } from '../support/browser.ts'
import { connectTo } from '../support/client.ts'
import { commandLine } from './command-line.ts'

test('AUTH-SCH-r3, AUTH-SCH-4: session ids, CSRF tokens and passwords are in no log and no file', async context => {
  const cli = await commandLine(context)
  const password = 'correct horse battery'
  await cli.run(['createuser', 'ann'], { input: password })
  const service = cli.start(['serve', '--port', '0'], { environment: { LOG_LEVEL: 'trace' } })
  const [, url] = await service.until(/^Listening on (http:\/\/\S+)$/m)
  const client = connectTo(url!)
  context.after(() => client.close())
  const browser = openBrowser(client)
  const before = findCsrfToken(await browser.get(loginUrl))
  const form = { username: 'ann', password, csrfmiddlewaretoken: before }
  assert.equal((await browser.request('POST', loginUrl, { form: { ...form, password: 'wrong one' } })).status, 200)
  assert.equal((await browser.request('POST', loginUrl, { form })).status, 302)
  const [session, token] = [browser.cookies.get('sessionid')!, browser.cookies.get('csrftoken')!]
  assert.equal((await browser.get('/directory/users/')).status, 200)
  assert.equal((await browser.request('POST', '/snippet/snippets/', { json: { code: 'x' } })).status, 403)
  assert.equal((await browser.send('POST', '/snippet/snippets/', { json: { code: 'x' } })).status, 201)
  assert.equal((await browser.send('POST', `${logoutUrl}?next=${session}`)).status, 302)
  const { stdout, stderr } = await service.stop()
  const files = await Promise.all((await readdir(cli.folder)).map(name => readFile(join(cli.folder, name))))
  const said = [stdout, stderr, ...files.map(String)].join('\n')
  for (const secret of [session, token, token.slice(0, 22), before, password, 'wrong one']) {
    assert.ok(secret.length > 8)
    assert.ok(!said.includes(secret), secret)
  }
})
