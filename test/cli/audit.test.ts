// Changes to accounts on the command line are audited, as changes over HTTP are.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from 'resource-api'
import { formatConfig } from '../support/config-file.ts'
import { commandLine } from './command-line.ts'

test('commands that create users, passwords and tokens are audit events, without secrets', async context => {
  const cli = await commandLine(context)
  const eventsFile = join(cli.folder, 'events')
  const config = formatConfig(
    `onAudit: event => appendFileSync(${JSON.stringify(eventsFile)}, JSON.stringify(event) + '\\n')`,
    `import { appendFileSync } from 'node:fs'`,
  )
  await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
  for (const [args, input] of [
    [['createuser', 'ann'], 'correct horse\n'],
    [['changepassword', 'ann'], 'battery staple\n'],
    [['token', 'ann'], ''],
    [['token', 'ann', '--regenerate'], ''],
  ] as const)
    assert.equal((await cli.run(args, { input })).code, 0)
  // A command that failed is not an event.
  assert.equal((await cli.run(['token', 'nobody'])).code, 1)

  const expected = [
    ['account changed', 'createuser ann'],
    ['account changed', 'changepassword ann'],
    ['token made', 'token ann'],
    ['token made', 'token ann --regenerate'],
  ]
  const events = (await readFile(eventsFile, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const common = { outcome: 'success', user: null, address: null, source: 'command line' }
  assert.deepEqual(
    events,
    expected.map(([event, target]) => ({ event, ...common, target })),
  )
  const database = openDatabase(cli.databaseUrl)
  context.after(() => database.close())
  const rows = await database.kysely.selectFrom('audit_log').selectAll().orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ event, outcome, user, address, target }) => [event, outcome, user, address, target]),
    expected.map(([event, target]) => [event, 'success', null, null, target]),
  )
})
