// What is done to accounts on the command line stands in the audit log, as what is done over HTTP does.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/framework/index.ts'
import { commandLine } from './command-line.ts'

test('users, passwords and tokens that commands make are events, and none has a secret', async context => {
  const cli = await commandLine(context)
  const told = join(cli.folder, 'told')
  const config = `import { appendFileSync } from 'node:fs'
export default { onAudit: event => appendFileSync(${JSON.stringify(told)}, JSON.stringify(event) + '\\n') }`
  await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
  for (const [args, input] of [
    [['createuser', 'ann'], 'correct horse\n'],
    [['changepassword', 'ann'], 'battery staple\n'],
    [['token', 'ann'], ''],
    [['token', 'ann', '--regenerate'], ''],
  ] as const)
    assert.equal((await cli.run(args, { input })).code, 0)
  // What came to nothing is no event.
  assert.equal((await cli.run(['token', 'nobody'])).code, 1)

  const expected = [
    ['account changed', 'createuser ann'],
    ['account changed', 'changepassword ann'],
    ['token made', 'token ann'],
    ['token made', 'token ann --regenerate'],
  ]
  const events = (await readFile(told, 'utf8'))
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
