// The migrate and loaddata commands, on both databases if they differ.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { createDatabase } from '../support/service.ts'
import { type CommandLine, commandLine, type Outcome } from './command-line.ts'
import { withServiceOn } from './service-on.ts'

const secret = { SECRET_KEY: 's'.repeat(40) }

const urls: Readonly<Record<string, (context: TestContext, cli: CommandLine) => Promise<string>>> = {
  SQLite: async (_context, cli) => cli.databaseUrl,
  async PostgreSQL(context) {
    const { url, remove } = await createDatabase()
    context.after(remove)
    return url
  },
}

const library = {
  groups: [{ id: 5, name: 'readers' }],
  users: [
    { username: 'ada', token: 'key-of-ada' },
    { id: 9, username: 'bob', password: 'secret', groups: [5] },
  ],
  snippets: [{ id: 7, owner: 'bob', code: 'print(1)' }],
}

async function load(cli: CommandLine, content: string | Buffer, environment = {}): Promise<Outcome> {
  await writeFile(join(cli.folder, 'data.json'), content)
  return cli.run(['loaddata', 'data.json'], { environment: { ...secret, ...environment } })
}

// Each command is a separate process, so the tests can run concurrently.
suite('migrate and loaddata', { concurrency: true }, () => {
  for (const [name, formatUrl] of Object.entries(urls)) {
    test(`migrate applies all migrations to a new database once, on ${name}`, async context => {
      const cli = await commandLine(context)
      const environment = { ...secret, DATABASE_URL: await formatUrl(context, cli) }
      const migrate = () => cli.run(['migrate'], { environment })
      const outcomes = await Promise.all([migrate(), migrate(), migrate()])
      // On a busy machine, the others wait so long that they say so.
      const waiting = 'Waiting for another process that migrates the database.\n'
      const results = outcomes.map(({ code, stdout, stderr }) => ({
        code,
        stdout,
        stderr: stderr.replace(waiting, ''),
      }))
      const upToDate = { code: 0, stdout: '', stderr: 'The database is up to date.\n' }
      const [applied, ...upToDateResults] = results.sort((a, b) => (a.stderr < b.stderr ? -1 : 1))
      assert.deepEqual([applied!.code, applied!.stdout], [0, ''])
      assert.match(
        applied!.stderr,
        /^Applied accounts: 0001_accounts, 0003_sessions.*\.\nApplied audit: 0001_audit_log, 0002_changes\.\n(?:Applied throttles: 0001_rates\.\n)?Applied idempotency: 0001_responses\.\nApplied snippets: 0001_snippets\.\n$/,
      )
      assert.deepEqual(upToDateResults, [upToDate, upToDate])
      assert.deepEqual(await migrate(), upToDate)
    })

    test(`loaddata loads a file into a new database, and the service uses the data, on ${name}`, async context => {
      const cli = await commandLine(context)
      const databaseUrl = await formatUrl(context, cli)
      const outcome = await load(cli, JSON.stringify(library), { DATABASE_URL: databaseUrl })
      assert.deepEqual(outcome, {
        code: 0,
        stdout: '',
        stderr: 'Loaded 1 groups, 2 users and 1 snippets from data.json.\n',
      })
      await withServiceOn(databaseUrl, async client => {
        const created = await client.post('/snippet/snippets/', { token: 'key-of-ada', json: { code: 'x' } })
        assert.deepEqual([created.status, created.json().id], [201, 8])
        const group = await client.post('/directory/groups/', { basic: 'bob:secret', json: { name: 'new' } })
        assert.deepEqual([group.status, group.headers.location], [201, 'http://localhost/directory/groups/6/'])
      })
    })
  }

  test('loaddata reports an error in one line, and loads nothing', async context => {
    const cli = await commandLine(context)
    const refusals: readonly (readonly [content: string | Buffer, problem: RegExp])[] = [
      ['{"users": [}', /^data\.json: not JSON: Unexpected token '}'.*$/],
      [Buffer.from([0x22, 0xff, 0x22]), /^data\.json: not JSON: The encoded data was not valid for encoding utf-8$/],
      [JSON.stringify({ ...library, tags: [] }), /^unknown key "tags": the keys are groups, users, snippets$/],
      [
        JSON.stringify({ ...library, snippets: [{ owner: 'x', code: 'y' }] }),
        /^snippets\[0\]\.owner: there is no user "x"$/,
      ],
    ]
    for (const [content, problem] of refusals) {
      const { code, stdout, stderr } = await load(cli, content)
      assert.deepEqual([code, stdout], [1, ''])
      const [line, ...otherLines] = stderr.split('\n')
      assert.deepEqual(otherLines, [''])
      assert.match(line!.replace(/^resource-api: /, ''), problem)
    }
    assert.deepEqual(await cli.run(['loaddata', 'none.json'], { environment: secret }), {
      code: 1,
      stdout: '',
      stderr: 'resource-api: none.json: there is no such file\n',
    })
    assert.equal((await load(cli, JSON.stringify(library))).code, 0)
  })
})
