// The commands createuser, changepassword and token.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { formatConfig } from '../support/config-file.ts'
import { type CommandLine, commandLine, type Outcome } from './command-line.ts'
import { withServiceOn } from './service-on.ts'

const list = '/directory/users/'

function assertRejected({ code, stdout, stderr }: Outcome, line: string): void {
  assert.deepEqual({ code, stdout, stderr: withoutSecretNotice(stderr) }, { code: 1, stdout: '', stderr: `${line}\n` })
}

const withoutSecretNotice = (text: string): string => text.replace(/^SECRET_KEY is not set: .*\n/, '')

const createUser = (cli: CommandLine, username: string, input: string, ...flags: string[]): Promise<Outcome> =>
  cli.run(['createuser', username, ...flags], { input })

const statusWith = (cli: CommandLine, basic: string): Promise<number> =>
  withServiceOn(cli.databaseUrl, async client => (await client.get(list, { basic })).status)

// Each command is a separate process, so the tests can run concurrently.
suite('createuser, changepassword and token', { concurrency: true }, () => {
  test('createuser creates a user whose password is the first line of standard input', async context => {
    const cli = await commandLine(context)
    const { code, stdout, stderr } = await createUser(
      cli,
      'ada',
      'correct horse\r\nmore',
      '--email',
      'ada@example.org',
      '--superuser',
    )
    assert.deepEqual([code, stdout, withoutSecretNotice(stderr)], [0, '', 'Created the user ada.\n'])
    await withServiceOn(cli.databaseUrl, async (client, { accounts: { users } }) => {
      const { results } = (await client.get(list, { basic: 'ada:correct horse' })).json()
      assert.deepEqual([results[0].username, results[0].email], ['ada', 'ada@example.org'])
      const { isStaff, isSuperuser } = (await users.find('ada'))!
      assert.deepEqual({ isStaff, isSuperuser }, { isStaff: true, isSuperuser: true })
    })
  })

  test('createuser reports an error in one line, and creates no user', async context => {
    const cli = await commandLine(context)
    await createUser(cli, 'ada', 'correct horse')
    assertRejected(await createUser(cli, 'bob', '\n'), 'resource-api: the password must not be empty')
    assertRejected(
      await createUser(cli, 'bob', 'x'.repeat(4097)),
      'resource-api: the password must not have more than 4096 bytes',
    )
    assertRejected(
      await createUser(cli, 'b o b', 'x'),
      'resource-api: username: Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
    )
    assertRejected(
      await createUser(cli, 'bob', 'x', '--email', 'bob'),
      'resource-api: email: Enter a valid email address.',
    )
    for (const [input, error] of [
      ['short', 'This password is too short. It must contain at least 8 characters. This password is too common.'],
      ['bob@example.org', 'The password is too similar to the email address.'],
    ] as const)
      assertRejected(
        await createUser(cli, 'bob', input, '--email', 'bob@example.org'),
        `resource-api: password: ${error}`,
      )
    // A taken name is refused before a password is asked for.
    for (const [name, input] of [
      ['ada', ''],
      ['ａda', 'x'],
      ['ADA', 'correct horse'],
    ] as const) {
      assertRejected(
        await createUser(cli, name, input),
        'resource-api: username: A user with that username already exists.',
      )
    }
    await withServiceOn(cli.databaseUrl, async client => {
      assert.equal((await client.get(list, { basic: 'ada:correct horse' })).json().count, 1)
    })
  })

  test('changepassword changes the password of a user', async context => {
    const cli = await commandLine(context)
    await createUser(cli, 'ada', 'correct horse')
    const change = (username: string, input: string) => cli.run(['changepassword', username], { input })
    assert.deepEqual(await change('ada', 'battery staple\n'), {
      code: 0,
      stdout: '',
      stderr: 'Changed the password of ada.\n',
    })
    assert.equal(await statusWith(cli, 'ada:battery staple'), 200)
    assert.equal(await statusWith(cli, 'ada:correct horse'), 401)
    assertRejected(await change('ada', ''), 'resource-api: the password must not be empty')
    assertRejected(await change('ada', '8305619274058'), 'resource-api: password: This password is entirely numeric.')
    assertRejected(await change('bob', 'x'), 'resource-api: there is no user "bob"')
  })

  test('AUTH-SCH-r4: linkuser sets, replaces and removes the remote identity of a user', async context => {
    const cli = await commandLine(context)
    for (const name of ['ada', 'bob']) await createUser(cli, name, 'correct horse')
    const link = async (...args: string[]) => {
      const { code, stderr } = await cli.run(['linkuser', ...args])
      return [code, stderr]
    }
    const linked = (identity: string) =>
      withServiceOn(
        cli.databaseUrl,
        async (_client, { accounts: { users } }) => (await users.findByRemoteIdentity(identity))?.username,
      )
    assert.deepEqual(await link('ada'), [0, 'Linked ada to the remote identity "ada".\n'])
    assert.equal(await linked('ada'), 'ada')
    assert.deepEqual(await link('ada', 'ADA@EXAMPLE'), [0, 'Linked ada to the remote identity "ADA@EXAMPLE".\n'])
    assert.deepEqual([await linked('ADA@EXAMPLE'), await linked('ada')], ['ada', undefined])
    assert.deepEqual(await link('bob', 'ADA@EXAMPLE'), [
      1,
      'resource-api: identity: A user with that remote identity already exists.\n',
    ])
    assert.deepEqual(await link('ada', '--remove'), [0, 'Removed the remote identity of ada.\n'])
    assert.equal(await linked('ADA@EXAMPLE'), undefined)
    assert.deepEqual(await link('cid'), [1, 'resource-api: there is no user "cid"\n'])
    assert.deepEqual(await link('ada', ''), [1, 'resource-api: identity: This field may not be blank.\n'])
  })

  test('AUTH-SCH-2, AUTH-SCH-3: token prints only the token, the same each time; --regenerate replaces it', async context => {
    const cli = await commandLine(context)
    await createUser(cli, 'ada', 'correct horse')
    const print = (...args: string[]) => cli.run(['token', ...args])
    const first = await print('ada')
    assert.deepEqual([first.code, first.stderr], [0, ''])
    assert.match(first.stdout, /^[0-9a-f]{40}\n$/)
    assert.equal((await print('ada')).stdout, first.stdout)
    const second = await print('ada', '--regenerate')
    assert.match(second.stdout, /^[0-9a-f]{40}\n$/)
    await withServiceOn(cli.databaseUrl, async client => {
      const statusOf = async ({ stdout }: Outcome) => (await client.get(list, { token: stdout.trim() })).status
      assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])
    })
    assertRejected(await print('bob'), 'resource-api: there is no user "bob"')
  })

  test('AUTH-SCH-2: with named tokens, token creates a new token; --regenerate revokes the earlier ones', async context => {
    const cli = await commandLine(context)
    await writeFile(join(cli.folder, 'resource-api.config.ts'), formatConfig("tokens: 'named'"))
    await createUser(cli, 'ada', 'correct horse')
    const print = (...args: string[]) => cli.run(['token', 'ada', ...args])
    const made = [await print('--name', 'Robot', '--expires', '3600'), await print(), await print('--regenerate')]
    for (const { code, stdout, stderr } of made) {
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, /^rapi_[0-9A-Za-z]{36}\n$/)
    }
    await withServiceOn(
      cli.databaseUrl,
      async client => {
        const statuses = made.map(async ({ stdout }) => (await client.get(list, { token: stdout.trim() })).status)
        assert.deepEqual(await Promise.all(statuses), [401, 401, 200])
      },
      { tokens: 'named' },
    )
    const least = 'Ensure this value is greater than or equal to 1.'
    assertRejected(await print('--expires', '0'), `resource-api: --expires: ${least}`)
    assertRejected(await print('--expires', 'soon'), 'resource-api: --expires: A valid integer is required.')
    const most = 'Ensure this field has no more than 100 characters.'
    assertRejected(await print('--name', 'x'.repeat(101)), `resource-api: --name: ${most}`)
  })

  test('RES-TOKEN-r1: token does not exceed the maximum number of named tokens', async context => {
    const cli = await commandLine(context)
    const config = formatConfig("tokens: 'named', limits: { tokensPerUser: 1 }")
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    await createUser(cli, 'ada', 'correct horse')
    assert.equal((await cli.run(['token', 'ada'])).code, 0)
    assertRejected(await cli.run(['token', 'ada']), 'resource-api: A user has at most 1 token: revoke it first.')
    assert.equal((await cli.run(['token', 'ada', '--regenerate'])).code, 0)
  })

  test('AUTH-SCH-3: the single token of a user has no name and no expiry', async context => {
    const cli = await commandLine(context)
    await createUser(cli, 'ada', 'correct horse')
    for (const option of ['name', 'expires']) {
      const refusal = `resource-api: --${option}: the setting "tokens" must be "named" for this`
      assertRejected(await cli.run(['token', 'ada', `--${option}`, '60']), refusal)
    }
  })
})
