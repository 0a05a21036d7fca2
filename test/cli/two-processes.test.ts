// Two processes of the service on one database: changes in one process are effective in the other at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { connectTo } from '../support/client.ts'
import { password } from '../support/service.ts'
import { commandLine, databases } from './command-line.ts'

for (const [name, formatUrl] of Object.entries(databases)) {
  test(`AUTH-SCH-r3, AUTH-SCH-2: both processes accept the same logins and tokens, on ${name}`, async context => {
    const cli = await commandLine(context)
    const environment = {
      DATABASE_URL: await formatUrl(context, cli),
      SECRET_KEY: 's'.repeat(40),
      PORT: '0',
      LOG_LEVEL: 'silent',
    }
    await cli.run(['createuser', 'ann'], { input: password, environment })
    const processes = [cli.start(['serve'], { environment }), cli.start(['serve'], { environment })]
    const [one, other] = (await Promise.all(
      processes.map(async running => connectTo((await running.until(/http:\S+/))[0])),
    )) as [ReturnType<typeof connectTo>, ReturnType<typeof connectTo>]
    context.after(() => [one, other].map(client => client.close()))
    const list = '/directory/users/'

    const browser = openBrowser(one)
    await browser.logIn('ann')
    const session = { headers: browser.header }
    assert.equal((await other.get(list, session)).status, 200)
    await browser.logOut()
    assert.equal((await other.get(list, session)).status, 401)

    const login = { json: { username: 'ann', password } }
    const { token } = (await one.post('/api-token-auth/', login)).json()
    assert.equal((await other.get(list, { token })).status, 200)
    assert.equal((await other.post('/api-token-auth/', login)).json().token, token)
    const regenerated = (await cli.run(['token', 'ann', '--regenerate'], { environment })).stdout.trim()
    for (const client of [one, other]) {
      assert.equal((await client.get(list, { token })).status, 401)
      assert.equal((await client.get(list, { token: regenerated })).status, 200)
    }

    const again = openBrowser(other)
    await again.logIn('ann')
    assert.equal((await one.get(list, { headers: again.header })).status, 200)
    await cli.run(['changepassword', 'ann'], { input: 'another password for ann', environment })
    for (const client of [one, other]) assert.equal((await client.get(list, { headers: again.header })).status, 401)
    assert.equal((await one.post('/api-token-auth/', login)).status, 400)
    await Promise.all(processes.map(running => running.stop()))
  })
}
