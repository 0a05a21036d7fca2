import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { suite, type TestContext, test } from 'node:test'
import { promptAt } from './ask.ts'
import { listProblems } from './check-steps.ts'
import { type MakeOptions, makeSteps } from './make.ts'
import { createOwner, createState, type TestOwner } from './testing.ts'

const text = { type: 'text' } as const
const nullable = { type: 'text', nullable: true } as const
const before = createState({ articles: { body: text } })
const after = createState({ articles: { text, state: text } })

/** An owner whose steps make `before`. */
async function createBlog(context: TestContext): Promise<TestOwner> {
  const blog = createOwner(context)
  await makeSteps([await blog.read(before)], {}, undefined)
  return blog
}

const make = async (blog: TestOwner, state = after, options: MakeOptions = {}, inputs?: readonly string[]) => {
  const left = [...(inputs ?? [])]
  const prompt = async () => left.shift() ?? assert.fail('asks again')
  const { steps, questions } = await makeSteps([await blog.read(state)], options, inputs && prompt)
  assert.deepEqual(left, [])
  return { questions, written: steps.map(({ path, lines }) => [basename(path), ...lines]) }
}

suite('make', () => {
  test('writes the first step, then nothing until the tables change', async context => {
    const blog = createOwner(context)
    assert.deepEqual((await make(blog, before)).written, [['0001_first.ts', 'articles: create table with id, body']])
    assert.deepEqual(await make(blog, before), { written: [], questions: [] })
    assert.deepEqual(readdirSync(blog.folder), ['0001_first.ts'])
  })

  test('without a terminal, prints the flags that answer its questions, and writes nothing', async context => {
    const blog = await createBlog(context)
    assert.deepEqual(await make(blog), {
      written: [],
      questions: [
        'articles.text and articles.state are new and articles.body is gone. Say which: --rename articles.body=articles.text, --rename articles.body=articles.state, or --drop articles.body',
        'articles.text is NOT NULL without a value for existing rows: --fill articles.text=<value>, or give it a default',
        'articles.state is NOT NULL without a value for existing rows: --fill articles.state=<value>, or give it a default',
      ],
    })
    assert.deepEqual(readdirSync(blog.folder), ['0001_first.ts'])
  })

  test('takes its answers from flags', async context => {
    const blog = await createBlog(context)
    const flags = { rename: ['articles.body=articles.text'], fill: ['articles.state=draft'] }
    const lines = [
      'articles: rename column body -> text',
      "articles: add column state text not null, existing rows get 'draft'",
      'SQLite rebuilds "articles" (3 columns). PostgreSQL: no rewrite, no long lock.',
    ]
    assert.deepEqual((await make(blog, after, flags)).written, [['0002_article_state.ts', ...lines]])
    assert.equal(
      readFileSync(join(blog.folder, '0002_article_state.ts'), 'utf8'),
      `import { step } from 'resource-api/migrations'

export default step({
  after: ['0001_first'],
  change: [
    { table: 'articles', renameColumn: 'body', to: 'text' },
    { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
  ],
})
`,
    )
    assert.deepEqual(listProblems(await blog.read(after)), [])
  })

  test('at a terminal, asks one question after the other', async context => {
    const blog = await createBlog(context)
    assert.deepEqual((await make(blog, after, { name: 'text' }, ['1', 'draft'])).written, [
      [
        '0002_text.ts',
        'articles: rename column body -> text      (you answered)',
        "articles: add column state text not null, existing rows get 'draft'",
        'SQLite rebuilds "articles" (3 columns). PostgreSQL: no rewrite, no long lock.',
      ],
    ])
  })

  test('at a terminal, asks again after an answer that is none, and says that one is needed', async context => {
    const blog = await createBlog(context)
    const asked: string[] = []
    const answers = ['', '7', '2', '', '""', 'x', '12']
    const prompt = async (text: string) => {
      asked.push(text)
      return answers.shift() ?? assert.fail('asks again')
    }
    const pages = createState({ articles: { text: { type: 'text' }, pages: { type: 'integer' } } })
    await makeSteps([await blog.read(pages)], {}, prompt)
    assert.deepEqual(
      asked.map(text => text.split('\n').slice(-2)),
      [
        ['  2  drop articles.body, and lose its data', 'Which? '],
        ['An answer is needed: 1 or 2.', 'Which? '],
        ['An answer is needed: 1 or 2.', 'Which? '],
        ['articles.text is NOT NULL without a value for existing rows.', 'The value of articles.text: '],
        ['A value is needed; for an empty text, write "".', 'The value of articles.text: '],
        ['articles.pages is NOT NULL without a value for existing rows.', 'The value of articles.pages: '],
        ['articles.pages: must be a number, not "x".', 'The value of articles.pages: '],
      ],
    )
    const step = readFileSync(join(blog.folder, readdirSync(blog.folder).at(-1)!), 'utf8')
    assert.match(step, /addColumn: 'text', type: 'text', fill: '' /)
    assert.match(step, /addColumn: 'pages', type: 'integer', fill: 12 /)
  })

  test('at a terminal, writes nothing if the person leaves', async context => {
    const blog = await createBlog(context)
    const input = new PassThrough()
    const made = makeSteps([await blog.read(after)], {}, promptAt(input, new PassThrough()))
    input.write('\n')
    input.end()
    await assert.rejects(made, { message: 'canceled: nothing was written' })
    assert.deepEqual(readdirSync(blog.folder), ['0001_first.ts'])
  })

  test('writes a step for each of two owners, or for one of them', async context => {
    const [blog, shop] = [createOwner(context), createOwner(context, 'shop')]
    const owners = await Promise.all([blog.read(before), shop.read(createState({ orders: {} }))])
    await makeSteps(owners, { owner: 'shop' }, undefined)
    assert.deepEqual([readdirSync(blog.folder), readdirSync(shop.folder)], [[], ['0001_first.ts']])
    await makeSteps(await Promise.all([blog.read(before), shop.read(createState({ orders: {} }))]), {}, undefined)
    assert.deepEqual([readdirSync(blog.folder), readdirSync(shop.folder)], [['0001_first.ts'], ['0001_first.ts']])
  })

  test('names a flag that fits nothing', async context => {
    const blog = await createBlog(context)
    for (const [flags, message] of [
      [{ drop: ['nothing'] }, '--drop nothing: there is no table of this name'],
      [
        { rename: ['articles.body'] },
        '--rename articles.body: write the former name, "=" and the new one, as in articles.body=articles.text',
      ],
      [{ name: '../x' }, '--name ../x: write letters, digits, "_" and "-"'],
      [{ owner: 'shop' }, 'there is no owner "shop"; the owners are blog'],
    ] as const satisfies readonly (readonly [MakeOptions, string])[])
      await assert.rejects(make(blog, after, flags), { message })
  })

  test('says what earlier steps that are functions have made, in a step that runs nothing', async context => {
    const blog = createOwner(context)
    blog.write('0001_tables', 'async kysely => void (await kysely.deleteFrom("articles").execute())')
    const advice =
      'The earlier steps are functions. If they have made these tables, delete this file, and run make --existing.'
    const { written } = await make(blog, before)
    assert.deepEqual(written, [['0002_articles.ts', 'articles: create table with id, body', advice]])
    rmSync(join(blog.folder, '0002_articles.ts'))
    assert.deepEqual((await make(blog, before, { existing: true, name: 'declared' })).written, [
      [
        '0002_declared.ts',
        'articles: create table with id, body',
        'No database runs this: earlier steps have done it.',
      ],
    ])
    const owner = await blog.read(before)
    assert.deepEqual(Object.keys(owner.steps['0002_declared']!), ['after', 'state'])
    assert.deepEqual(listProblems(owner), [])
  })

  test('needs a folder to write to', async () => {
    const owner = { owner: 'blog', steps: {}, state: before, folder: undefined }
    await assert.rejects(makeSteps([owner], {}, undefined), {
      name: 'CommandError',
      message: /^blog: its steps are not in a folder/,
    })
  })
})

suite('check', () => {
  test('says what the steps do not make', async context => {
    const blog = await createBlog(context)
    assert.deepEqual(listProblems(await blog.read(before)), [])
    assert.deepEqual(listProblems(await blog.read(createState({ articles: { body: nullable } }))), [
      `blog: the declared tables are not those of the steps: run "resource-api migrations make"
  articles: change column body to text null
  SQLite rebuilds "articles" (2 columns). PostgreSQL: no rewrite, no long lock.`,
    ])
  })

  test('finds two ends, which make refuses too', async context => {
    const blog = await createBlog(context)
    blog.write('0002_a', `step({ after: ['0001_first'] })`)
    blog.write('0002_b', `step({ after: ['0001_first'] })`)
    const message = 'blog has two ends, 0002_a and 0002_b: join them with "resource-api migrations merge"'
    assert.deepEqual(listProblems(await blog.read(before)), [message])
    await assert.rejects(make(blog), { message })
  })

  test('a step that was formatted, or says the same in another order, changes nothing', async context => {
    const blog = createOwner(context)
    blog.write('0001_first', `step({change:[{columns:{body:{type:"text"},id:"key"},createTable:"articles"}]})`)
    assert.deepEqual(listProblems(await blog.read(before)), [])
  })

  test('names a file that is only half written', async context => {
    const blog = await createBlog(context)
    blog.write('0002_half', 'step({ change: [')
    await assert.rejects(blog.read(before), { message: /^\S+0002_half\.ts: the step cannot be read: / })
  })

  test('ignores owners that declare no tables', async context => {
    const blog = await createBlog(context)
    assert.deepEqual(listProblems(await blog.read()), [])
  })
})
