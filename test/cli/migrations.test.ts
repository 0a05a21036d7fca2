// Migrations from the command line: what `migrate`, `check`, `serve` and `dev` say about steps that were saved too early, edited,
// renamed or removed, and what a process leaves behind that is killed in the middle of a step.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, type TestContext, test } from 'node:test'
import { openServices, readSettings } from 'resource-api/service'
import defaultService from '../../src/seed/default-service.ts'
import { isThorough } from '../support/repetitions.ts'
import { type CommandLine, commandLine, type Running } from './command-line.ts'

const environment = { SECRET_KEY: 's'.repeat(40) }
const production = { ...environment, NODE_ENV: 'production' }

const firstStep = `async '0001_books'({ schema }, { key, text }) {
    await schema.createTable('books').addColumn('id', key).addColumn('title', text).execute()
  },`
const addStars = (name: string, column = 'stars') => `async ${JSON.stringify(name)}({ schema }) {
    await schema.alterTable('books').addColumn(${JSON.stringify(column)}, 'integer').execute()
  },`

/** A config file with a profile of books. */
const bookConfig = (steps: string, field = '') => `import { integer, key, resource, text } from 'resource-api'
import { profile } from 'resource-api/service'
const books = resource('books', { table: 'books', fields: { id: key(), title: text(), ${field} } })
const migrations = {
  ${firstStep}
  ${steps}
}
export default { profiles: [profile('books', { resources: [books], migrations })] }
`

async function start(context: TestContext) {
  const cli = await commandLine(context)
  const save = (text: string) => writeFile(join(cli.folder, 'resource-api.config.ts'), text)
  return { cli, save }
}

/** Waits until the server has listened for the nth time, and returns what `dev` has said since the last time. */
async function nthReport(dev: Running, times: number): Promise<readonly string[]> {
  const [text] = await dev.until(new RegExp(`(?:[^]*?^Listening on \\S+$){${times}}`, 'm'))
  const [, last = ''] = new RegExp(`^(?:[^]*?^Listening on \\S+$){${times - 1}}([^]*)$`, 'm').exec(text) ?? []
  return last.split('\n').filter(line => line !== '' && !/^(?:Restarting|Listening|warning|SECRET_KEY)/.test(line))
}

/** Runs the command, and returns what it says without the time of a migration and the path of the database. */
async function say(
  cli: CommandLine,
  args: readonly string[],
  options: Parameters<CommandLine['run']>[1] = { environment },
) {
  const { code, stdout, stderr } = await cli.run(args, options)
  const text = `${stdout}${stderr}`
  const lines = text.split('\n').filter(line => line !== '' && !/^(?:SECRET_KEY|resource-api: \d problem)/.test(line))
  const clean = (line: string) =>
    line.replace(/ on \d{4}-\d\d-\d\d at \d\d:\d\d UTC/, '').replace(/ \([^ ]*test[._]\w+\)$/, '')
  return [code, ...lines.map(clean)]
}

const applied = 'DATABASE_URL: the database has applied the step "0002_x" of "books", which '
const problems = {
  changed: `${applied}has changed since then: undo the change and write a new step; or, if the step still does the same, accept it with migrate --accept books/0002_x`,
  renamed: `${applied}is now named "0002_stars": give it its old name back, or add the old name to its "formerNames"`,
  removed: `${applied}this program does not have: put it back; or add its name to the "formerNames" of the step that replaces it; or, if a newer version of the program has applied it, run that version or restore an older backup`,
}

suite('steps', { concurrency: 2 }, () => {
  test('dev follows a step that is saved at every stage: empty, half, whole, changed and renamed', async context => {
    const { cli, save } = await start(context)
    await save(bookConfig("async '0002_x'({ schema }) {},"))
    const dev = cli.start(['dev', '--port', '0'], { environment })
    context.after(() => dev.stop())
    const [, , ...first] = (await nthReport(dev, 1)).slice(-3)
    assert.deepEqual(first, ['The step "0002_x" of "books" runs no statement, so it is not recorded.'])
    await save(bookConfig(addStars('0002_x', 'star')))
    assert.deepEqual(await nthReport(dev, 2), ['Applied books: 0002_x.'])
    await save(bookConfig(addStars('0002_x'), 'stars: integer()'))
    assert.deepEqual(await nthReport(dev, 3), ['Took back books: 0002_x.', 'Applied books: 0002_x.'])
    await save(bookConfig(addStars('0002_stars'), 'stars: integer()'))
    assert.deepEqual(await nthReport(dev, 4), ['Renamed books: 0002_x to 0002_stars.'])
    await save(bookConfig(''))
    assert.deepEqual(await nthReport(dev, 5), ['Took back books: 0002_stars.'])
  })

  test('dev keeps data, says why, and goes on after the step is as it was', async context => {
    const { cli, save } = await start(context)
    await save(bookConfig(addStars('0002_x')))
    await cli.run(['migrate'], { environment })
    const database = new DatabaseSync(join(cli.folder, 'test.db'))
    database.exec("insert into books (title, stars) values ('Dune', 5)")
    database.close()
    await save(bookConfig(addStars('0002_x', 'rating')))
    const dev = cli.start(['dev', '--port', '0'], { environment })
    context.after(() => dev.stop())
    await dev.until(
      /^resource-api: DATABASE_URL: the database has applied the step "0002_x" .* cannot be taken back, because the column "stars" of "books", which it created, has values in 1 row: undo the change .*; or use a new database \(.*\)$/m,
    )
    await save(bookConfig(addStars('0002_x')))
    await nthReport(dev, 1)
  })

  test('migrate, check and serve say the same about a step that has changed since it ran', async context => {
    const { cli, save } = await start(context)
    await save(bookConfig("async '0002_x'() {},"))
    const notRecorded = 'The step "0002_x" of "books" runs no statement, so it is not recorded'
    const [code, ...lines] = await say(cli, ['migrate'])
    assert.deepEqual([code, lines.at(-1)], [0, `${notRecorded}.`])
    assert.deepEqual(await say(cli, ['check']), [0, 'No problems.', notRecorded.replace('The', 'the')])
    await save(bookConfig(addStars('0002_x')))
    assert.deepEqual(await say(cli, ['migrate']), [0, 'Applied books: 0002_x.'])
    const cases = {
      changed: bookConfig(addStars('0002_x', 'rating')),
      renamed: bookConfig(addStars('0002_stars')),
      removed: bookConfig(''),
    }
    for (const [kind, config] of Object.entries(cases)) {
      await save(config)
      const problem = problems[kind as keyof typeof problems]
      assert.deepEqual(await say(cli, ['check']), [1, problem], kind)
      for (const command of [['migrate'], ['serve', '--port', '0']])
        assert.deepEqual(await say(cli, command), [1, `resource-api: ${problem}`], kind)
    }
    await save(cases.changed)
    assert.deepEqual(await say(cli, ['migrate'], { environment: production }), [1, `resource-api: ${problems.changed}`])
    assert.deepEqual(await say(cli, ['migrate', '--accept', 'books/0002_x']), [0, 'Accepted books/0002_x.'])
    assert.deepEqual(await say(cli, ['migrate']), [0, 'The database is up to date.'])
  })

  test('in production, a restart does not run the code of applied steps, so nothing in it can stop the service', async context => {
    const { cli, save } = await start(context)
    const counted = "console.log('the step ran')"
    await save(bookConfig(addStars('0002_x')))
    await cli.run(['migrate'], { environment: production })
    await save(bookConfig(addStars('0002_x').replace('await', `${counted}; await`).replace('stars', 'rating')))
    const service = cli.start(['serve', '--port', '0'], { environment: production })
    await service.until(/^Listening on /m)
    const { stdout } = await service.stop()
    assert.doesNotMatch(stdout, /the step ran/)
    assert.equal((await say(cli, ['check'], { environment: production }))[0], 1)
  })

  test('the sources and the built package agree on the steps of the framework', async context => {
    const cli = await commandLine(context)
    const settings = readSettings({
      file: { ...defaultService, databaseUrl: cli.databaseUrl, ...{ secretKey: 's'.repeat(40) } },
    })
    const services = openServices({ ...settings, secretKey: 's'.repeat(40) })
    await services.prepare()
    await services.close()
    assert.deepEqual(await say(cli, ['migrate']), [0, 'The database is up to date.'])
    assert.deepEqual(await say(cli, ['check']), [0, 'No problems.'])
  })
})

/** Rebuilds the books, to which reviews refer. A process with KILL_AT kills itself before that statement, or after the last one. */
const rebuildConfig = `import { profile } from 'resource-api/service'
async function rebuild(kysely, { key, text }) {
  const { schema } = kysely
  const books = kysely.selectFrom('books').select(['id', 'title'])
  // The step also runs without a database, to be compared.
  const isReal = (await books.execute()).length > 0
  const statements = [
    schema.createTable('books_new').addColumn('id', key).addColumn('title', text, column => column.notNull()),
    kysely.insertInto('books_new').columns(['id', 'title']).expression(books),
    schema.dropTable('books'),
    schema.alterTable('books_new').renameTo('books'),
    schema.createIndex('books_by_title').on('books').column('title'),
  ]
  const kill = index => isReal && process.env.KILL_AT === String(index) && process.kill(process.pid, 'SIGKILL')
  for (const [index, statement] of statements.entries()) {
    kill(index)
    await statement.execute()
  }
  kill(statements.length)
}
const migrations = {
  ${firstStep}
  async '0002_reviews'({ schema }, { key, reference }) {
    await schema.createTable('reviews').addColumn('id', key)
      .addColumn('book_id', reference, column => column.notNull().references('books.id').onDelete('cascade')).execute()
  },
  ...(process.env.REBUILD && { '0003_titles': rebuild }),
}
export default { profiles: [profile('books', { migrations })] }
`

suite('a step that rebuilds a table', { concurrency: 2 }, () => {
  async function prepare(context: TestContext) {
    const { cli, save } = await start(context)
    await save(rebuildConfig)
    assert.equal((await say(cli, ['migrate'])).at(-1), 'Applied books: 0001_books, 0002_reviews.')
    const database = new DatabaseSync(join(cli.folder, 'test.db'))
    context.after(() => database.close())
    database.exec(
      "insert into books (title) values ('Dune'), ('Emma'); insert into reviews (book_id) values (1), (1), (2)",
    )
    const count = (table: string) => database.prepare(`select count(*) as count from ${table}`).get()!.count
    const assertRebuilt = () => {
      assert.deepEqual([count('books'), count('reviews')], [2, 3])
      assert.equal(
        database.prepare("select count(*) as count from sqlite_schema where name = 'books_by_title'").get()!.count,
        1,
      )
      assert.deepEqual(database.prepare('pragma foreign_key_check').all(), [])
    }
    return { cli, count, assertRebuilt }
  }

  test('is undone if the process is killed in the middle, and applied by the next one', async context => {
    const { cli, count, assertRebuilt } = await prepare(context)
    for (const place of isThorough ? [0, 1, 2, 3, 4, 5] : [3, 5]) {
      const killed = await cli.run(['migrate'], {
        environment: { ...environment, REBUILD: '1', KILL_AT: String(place) },
      })
      assert.deepEqual([killed.code, killed.stderr.includes('Applied')], [null, false])
      assert.deepEqual([count('books'), count('reviews')], [2, 3])
      assert.deepEqual(await say(cli, ['migrate']), [0, 'The database is up to date.'])
    }
    assert.deepEqual(await say(cli, ['migrate'], { environment: { ...environment, REBUILD: '1' } }), [
      0,
      'Applied books: 0003_titles.',
    ])
    assertRebuilt()
  })

  test('runs once if several processes start at the same time', async context => {
    const { cli, assertRebuilt } = await prepare(context)
    const options = { environment: { ...environment, REBUILD: '1' } }
    const said = await Promise.all([1, 2, 3].map(() => say(cli, ['migrate'], options)))
    assert.deepEqual(said.toSorted(), [
      [0, 'Applied books: 0003_titles.'],
      [0, 'The database is up to date.'],
      [0, 'The database is up to date.'],
    ])
    assertRebuilt()
  })
})
