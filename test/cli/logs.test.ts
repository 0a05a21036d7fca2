// The log of `serve` during logins, failed logins and errors: lines of JSON without secrets.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCsrfToken, loginUrl, openBrowser } from '../support/browser.ts'
import { connectTo } from '../support/client.ts'
import { formatConfig } from '../support/config-file.ts'
import { password } from '../support/service.ts'
import { commandLine } from './command-line.ts'

const config = formatConfig(`
  schemes: [{ name: 'broken', varyOn: ['x-broken'], authenticate(request) {
    if (request.headers['x-broken'] === undefined) return { outcome: 'skip' }
    throw Object.assign(new Error('broken: ' + JSON.stringify(request.headers) + request.url), { headers: request.headers })
  } }],
`)

test('at the lowest level, the log has a line for each request, and no secrets', async context => {
  const cli = await commandLine(context)
  await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
  const secretKey = 'kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7yZx'
  await cli.run(['createuser', 'ann'], { input: `${password}\n`, environment: { SECRET_KEY: secretKey } })
  const serving = cli.start(['serve', '--port', '0'], {
    environment: { SECRET_KEY: secretKey, LOG_FORMAT: 'json', LOG_LEVEL: 'trace' },
  })
  const [, origin] = await serving.until(/^Listening on (http:\/\/\S+)$/m)
  const client = connectTo(origin!)
  context.after(() => client.close())

  const browser = openBrowser(client)
  const csrf = findCsrfToken(await browser.get(loginUrl))
  const form = { username: 'ann', password: 'wr0ng-password', csrfmiddlewaretoken: csrf }
  await browser.request('POST', loginUrl, { form })
  await browser.logIn('ann')
  const session = browser.cookies.get('sessionid')!
  const json = { username: 'ann', password }
  const { token } = (await client.post('/api-token-auth/', { json })).json()
  await client.post('/api-token-auth/', { json: { ...json, password: 'wr0ng-password' } })
  const responses = [
    await client.get('/directory/users/?cursor=cUrs0r-abcdef', { token }),
    await client.get('/directory/users/', { token: 'f'.repeat(40) }),
    await client.get('/directory/users/', { basic: `ann:${password}` }),
    await client.get('/directory/users/?token=cUrs0r-abcdef', {
      headers: { 'x-broken': 'br0ken-header', cookie: `other=${session}` },
    }),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 401, 200, 500],
  )
  const { stdout, stderr } = await serving.stop()

  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  for (const { headers, status } of responses) {
    const line = lines.find(({ reqId, msg }) => msg === 'request' && reqId === headers['x-request-id'])
    assert.deepEqual([line.status, line.path], [status, '/directory/users/'])
  }
  const failure = lines.find(({ msg }) => msg === 'unhandled exception')
  assert.equal(failure.reqId, responses[3]!.headers['x-request-id'])
  assert.match(failure.err.message, /^broken: .*"x-broken":"\[…\]"/)
  const audited = lines.find(({ audit }) => audit?.event === 'authentication')
  assert.equal(audited.audit.requestId, responses[1]!.headers['x-request-id'])
  const secrets = [
    password,
    'wr0ng-password',
    csrf,
    session,
    token,
    'f'.repeat(40),
    'cUrs0r-abcdef',
    'br0ken-header',
    secretKey,
  ]
  for (const secret of secrets) {
    assert.ok(secret.length > 8)
    assert.ok(!(stdout + stderr).includes(secret), secret)
  }
})

test('the log is text outside production, and JSON in production; LOG_FORMAT overrides both', async context => {
  const cli = await commandLine(context)
  const secret = { SECRET_KEY: 'kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7yZx' }
  await cli.run(['createuser', 'ann'], { input: `${password}\n`, environment: secret })
  const readLog = async (environment: Readonly<Record<string, string>>) => {
    const serving = cli.start(['serve', '--port', '0'], { environment: { ...secret, ...environment } })
    const [, origin] = await serving.until(/^Listening on (http:\/\/\S+)$/m)
    const client = connectTo(origin!)
    context.after(() => client.close())
    assert.equal((await client.get('/directory/users/?page=7', { basic: 'ann:wr0ng' })).status, 401)
    assert.equal((await client.get('/snippet/snippets/', { basic: `ann:${password}` })).status, 200)
    return (await serving.stop()).stdout.trim().split('\n')
  }
  for (const environment of [{}, { NODE_ENV: 'production', LOG_FORMAT: 'text' }]) {
    const lines = await readLog(environment)
    const [event, refused, list] = lines.filter(line => !line.includes('Server listening'))
    assert.match(event!, /^\d\d:\d\d:\d\d {2}authentication {2}outcome: failure {2}status: 401 /)
    assert.match(refused!, /^\d\d:\d\d:\d\d {2}GET \/directory\/users\/ {2}401 {2}\d+\.\d ms$/)
    assert.match(list!, /^\d\d:\d\d:\d\d {2}GET \/snippet\/snippets\/ {2}200 {2}\d+\.\d ms {2}1$/)
  }
  for (const environment of [{ NODE_ENV: 'production' }, { LOG_FORMAT: 'json' }]) {
    const records = (await readLog(environment)).map(line => JSON.parse(line))
    assert.equal(records.filter(({ msg }) => msg === 'request').length, 2)
  }
  assert.match(
    (await cli.run(['serve'], { environment: { LOG_FORMAT: 'xml' } })).stderr,
    /LOG_FORMAT: must be json or text, not "xml"/,
  )
})
