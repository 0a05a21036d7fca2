// serve --demo: the printed commands and passwords work, also after a restart.

import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { formatConfig } from '../support/config-file.ts'
import { type CommandLine, commandLine, type Running } from './command-line.ts'

const lastLine = /^Press Ctrl\+C to stop the service\.$/m

async function startDemo(cli: CommandLine, ...args: string[]): Promise<{ demo: Running; text: string }> {
  const demo = cli.start(['serve', '--demo', '--port', '0', ...args], { environment: { LOG_LEVEL: 'silent' } })
  const { input } = await demo.until(lastLine)
  return { demo, text: input }
}

const find = (text: string, pattern: RegExp): string => pattern.exec(text)![1]!
const passwordIn = (text: string): string => find(text, /^ {2}Password +(\S+)$/m)
const tokenIn = (text: string): string => find(text, /Authorization: (Token \w+)/)

// Each command is a separate process, so the tests can run concurrently.
suite('serve --demo', { concurrency: true }, () => {
  test('the printed commands work, also after a restart', async context => {
    const cli = await commandLine(context)
    const { demo, text } = await startDemo(cli)
    const password = passwordIn(text)
    const authorization = tokenIn(text)
    assert.match(password, /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/)
    assert.equal((await stat(join(cli.folder, 'demo-password'))).mode & 0o777, 0o600)

    const login = await fetch(find(text, /curl -d .* '(\S+)'/), {
      method: 'POST',
      body: new URLSearchParams({ username: 'demo', password }),
    })
    assert.deepEqual(await login.json(), { token: authorization.slice('Token '.length) })

    const users = await fetch(find(text, /List users, page 2:\n.*'(\S+)'/), { headers: { authorization } })
    const page = (await users.json()) as { count: number; results: unknown[] }
    assert.deepEqual([users.status, page.count, page.results.length], [200, 25, 10])

    const snippet = await fetch(find(text, /Post a snippet:\n.* '(\S+)'$/m), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: find(text, /-d '(\{.*?\})'/),
    })
    assert.deepEqual([snippet.status, ((await snippet.json()) as { owner: string }).owner], [201, 'demo'])
    assert.equal((await demo.stop()).code, 0)

    const restarted = await startDemo(cli)
    assert.deepEqual([passwordIn(restarted.text), tokenIn(restarted.text)], [password, authorization])
    const snippets = await fetch(find(restarted.text, /Post a snippet:\n.* '(\S+)'$/m))
    const { count, results } = (await snippets.json()) as { count: number; results: unknown[] }
    assert.deepEqual([count, results.length], [15, 10], 'the data is loaded once, and the list has pages')
    assert.equal((await restarted.demo.stop('SIGINT')).code, 0)
  })

  test('a profile of an application is demonstrated with its data and settings', async context => {
    const cli = await commandLine(context)
    const head = `import { shop } from ${JSON.stringify(new URL('../support/shop.ts', import.meta.url).href)}`
    await writeFile(join(cli.folder, 'resource-api.config.ts'), formatConfig('profiles: [shop()]', head))
    const { demo, text } = await startDemo(cli)
    const [, url] = /^ {2}Shop {14}(http:\S+)$/m.exec(text)!
    assert.match(text, /^List suppliers:\n {2}curl -H 'Authorization: Token \w+' 'http:\S+\/suppliers\/'$/m)
    assert.deepEqual(await (await fetch(`${url}suppliers/`)).json(), [{ id: 1, name: 'Acme' }])
    assert.equal(((await (await fetch(`${url}currency/`)).json()) as { currency: string }).currency, 'CHF')
    await demo.stop()
  })

  test('the snippets are demonstrated without the users of this repository', async context => {
    const cli = await commandLine(context)
    const config = formatConfig('profiles: [snippets()], demo: undefined')
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    const { demo, text } = await startDemo(cli)
    const list = await fetch(`${find(text, /^ {2}Snippets +(\S+)$/m)}snippets/`)
    assert.deepEqual([list.status, ((await list.json()) as { count: number }).count], [200, 14])
    await demo.stop()
  })

  test('a single profile is at the root', async context => {
    const cli = await commandLine(context)
    const { text } = await startDemo(cli, '--profile', 'snippets')
    assert.doesNotMatch(text, /directory|Users and groups/)
    const root = await fetch(find(text, /^ {2}Snippets +(\S+)$/m))
    assert.deepEqual(Object.keys((await root.json()) as object), ['users', 'snippets'])
    assert.equal((await fetch(find(text, /Post a snippet:\n.* '(\S+)'$/m))).status, 200)
  })

  test('a database that already has users is not changed', async context => {
    const cli = await commandLine(context)
    await cli.run(['createuser', 'ada'], { input: 'correct horse' })
    const { text } = await startDemo(cli)
    assert.match(text, /^The database already has users, so the demonstration data was not loaded\.$/m)
    assert.doesNotMatch(text, /Password|curl/)
    const snippets = await fetch(`${find(text, /^ {2}Snippets +(\S+)$/m)}users/`)
    const users = (await snippets.json()) as { results?: unknown[] } | unknown[]
    assert.equal((Array.isArray(users) ? users : users.results!).length, 1)
  })
})
