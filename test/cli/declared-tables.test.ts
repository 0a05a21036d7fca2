// Tables that are declared once: their steps are written, applied and taken back from the command line, and `dev` waits for them.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { commandLine } from './command-line.ts'

const environment = { SECRET_KEY: 's'.repeat(40) }

/** A program that declares a table with these columns, and a config file with a profile of it. */
const declaration = (columns: string, picked = "'title'") => `import { key, resource, text } from 'resource-api'
import { profile } from 'resource-api/service'
import { table, tables } from 'resource-api/tables'
const books = table('books', { columns: { id: key(), ${columns} } })
export const schema = tables({ owner: 'shelf', tables: [books], migrations: new URL('./migrations/', import.meta.url) as never })
const resources = [resource('books', { table: books, fields: { ...books.pick('id', ${picked}) } })]
export default { profiles: [profile('shelf', { tables: schema, resources })] }
`

async function start(context: TestContext) {
  const cli = await commandLine(context)
  const save = (...args: Parameters<typeof declaration>) =>
    writeFile(join(cli.folder, 'resource-api.config.ts'), declaration(...args))
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cli.run(args, { environment })
    return [
      code,
      ...`${stdout}${stderr}`.split('\n').filter(line => line !== '' && !/^(?:SECRET_KEY|Applied a)/.test(line)),
    ]
  }
  return { cli, save, run }
}

suite('declared tables', { concurrency: 2 }, () => {
  test('make, migrate and back need no more than the declaration', async context => {
    const { cli, save, run } = await start(context)
    await save('title: text()')
    assert.deepEqual(await run('migrations', 'make'), [
      0,
      'migrations/0001_first.ts',
      '  books: create table with id, title',
    ])
    assert.equal(existsSync(join(cli.folder, 'test.db')), false)
    assert.deepEqual(await run('migrate'), [0, 'Applied shelf: 0001_first.'])
    await save('name: text()', "'name'")
    const question =
      'books.name is new and books.title is gone. Say which: --rename books.title=books.name, or --drop books.title'
    assert.deepEqual(await run('migrations', 'make'), [3, question])
    assert.deepEqual(await run('migrations', 'check'), [
      1,
      'shelf: the declared tables are not those of the steps: run "resource-api migrations make"',
      `  ${question}`,
    ])
    assert.deepEqual((await run('check')).slice(1, 3), [
      'shelf: the declared tables are not those of the steps: run "resource-api migrations make"',
      `  ${question}`,
    ])
    assert.deepEqual(readdirSync(join(cli.folder, 'migrations')), ['0001_first.ts'])
    const [code, path] = await run('migrations', 'make', '--rename', 'books.title=books.name')
    assert.deepEqual([code, path], [0, 'migrations/0002_book_name.ts'])
    assert.deepEqual(await run('migrations', 'check'), [0, 'No problems: the steps make the declared tables.'])
    assert.deepEqual(await run('migrate'), [0, 'Applied shelf: 0002_book_name.'])
    assert.deepEqual(await run('check'), [0, 'No problems.'])
    assert.deepEqual(await run('migrations', 'back', 'shelf/0001_first'), [0, 'Took back shelf: 0002_book_name.'])
    assert.deepEqual(await run('migrate', '--to', 'shelf/0001_first'), [0, 'The database is up to date.'])
  })

  test('plan needs no database, and names what programs of two releases do not survive', async context => {
    const { save, run } = await start(context)
    await save('title: text()')
    await run('migrations', 'make')
    await save('name: text()', "'name'")
    await run('migrations', 'make', '--rename', 'books.title=books.name')
    const problem =
      'shelf/0002_book_name: books: rename column title -> name: programs need one name or the other: add the new one, copy the values, and drop the former one in a later release'
    const plan = ['migrations', 'plan', '--database', 'both', '--after', 'shelf/0001_first']
    const lines = [
      'shelf/0002_book_name',
      '  contract  books: rename column title -> name',
      '  SQLite: no rebuild. PostgreSQL: no rewrite, no long lock.',
      '  A program from before this step fails beside it: it uses books.title.',
    ]
    const statement = '    alter table "books" rename column "title" to "name";'
    assert.deepEqual(await run(...plan, '--sql'), [0, ...lines, '  SQLite:', statement, '  PostgreSQL:', statement])
    assert.deepEqual(await run(...plan, '--rolling'), [1, ...lines, problem])
    assert.deepEqual(await run('migrations', 'plan', '--after', 'shelf/0001_first'), [
      1,
      'resource-api: --after: a database knows which steps it has applied: add --database both',
    ])
    assert.deepEqual(await run('migrate', '--to', 'shelf/0001_first'), [0, 'Applied shelf: 0001_first.'])
    assert.deepEqual(await run('migrate', '--rolling'), [1, 'resource-api: nothing was applied:', problem])
    assert.deepEqual(await run('migrate'), [0, 'Applied shelf: 0002_book_name.'])
  })

  test('dev applies a step of a table that is declared later if it is told so', async context => {
    const { cli, save, run } = await start(context)
    await save('title: text()')
    await run('migrations', 'make')
    await save('title: text(), name: text({ required: false, nullable: true })', "'title', 'name'")
    const dev = cli.start(['dev', '--port', '0', '--apply'], { environment })
    context.after(() => dev.stop())
    await dev.until(
      / {2}books: add column name text null\n[\s\S]*\nshelf\/0001_first\n {2}books: create table[\s\S]*\nApplied shelf: 0001_first\./,
    )
  })

  test('dev says that a step has to be made, and goes on as soon as there is one', async context => {
    const { cli, save, run } = await start(context)
    await save('title: text()')
    const dev = cli.start(['dev', '--port', '0'], { environment })
    context.after(() => dev.stop())
    await dev.until(/^shelf: the declared tables are not those of the steps: run "resource-api migrations make"$/m)
    await dev.until(/^The server has exited: waiting for a change\.$/m)
    await run('migrations', 'make')
    await dev.until(/^Applied shelf: 0001_first\.\nListening on /m)
    await save('title: text(), name: text({ required: false, nullable: true })', "'title', 'name'")
    await dev.until(/ {2}books: add column name text null\n[\s\S]*waiting for a change\.$/m)
    await run('migrations', 'make')
    await dev.until(/^Applied shelf: 0002_book_name\.\nListening on /m)
  })

  test('a program that is no service names its tables', async context => {
    const { cli, run } = await start(context)
    await writeFile(join(cli.folder, 'shelf.ts'), declaration('title: text()'))
    assert.deepEqual((await run('migrations', 'make', '--from', 'shelf.ts')).slice(0, 2), [
      0,
      'migrations/0001_first.ts',
    ])
    assert.deepEqual(await run('migrations', 'check', '--from', 'nothing.ts'), [
      1,
      `resource-api: --from: the file ${join(cli.folder, 'nothing.ts')} does not exist`,
    ])
  })
})
