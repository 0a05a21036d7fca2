import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { findChanges } from './find-changes.ts'
import { type Answers, formatQuestion, noAnswers } from './question.ts'
import type { ColumnState, SchemaState, TableState } from './schema-state.ts'

const table = (columns: TableState['columns'], parts: Partial<TableState> = {}): TableState => ({
  columns: { id: { type: 'key' }, ...columns },
  key: ['id'],
  indexes: {},
  checks: {},
  ...parts,
})
const state = (tables: SchemaState['tables'], views: SchemaState['views'] = {}): SchemaState => ({ tables, views })
const text: ColumnState = { type: 'text' }
const refer = (target: string): ColumnState => ({ type: 'integer', references: { table: target } })

const articles = table({ title: text, body: text })
const blog = state({ articles })
const withColumns = (columns: TableState['columns'], parts: Partial<TableState> = {}) =>
  state({ articles: table(columns, parts) })

const answer = (given: {
  readonly renames?: Readonly<Record<string, string>>
  readonly drops?: readonly string[]
  readonly fills?: Readonly<Record<string, string | null>>
}): Answers => ({
  renames: new Map(Object.entries(given.renames ?? {})),
  drops: new Set(given.drops),
  fills: new Map(Object.entries(given.fills ?? {})),
})

function find(from: SchemaState, to: SchemaState, answers: Answers = noAnswers): readonly Change[] {
  const { changes, questions } = findChanges(from, to, answers)
  assert.deepEqual(questions.map(formatQuestion), [])
  assert.deepEqual(applyChanges(from, changes).tables, { ...applyChanges(from, changes).tables, ...to.tables })
  return changes
}

const ask = (from: SchemaState, to: SchemaState, answers?: Answers) =>
  findChanges(from, to, answers).questions.map(formatQuestion)

suite('nothing changes', () => {
  test('if the same tables are declared twice', () => {
    assert.deepEqual(find(blog, structuredClone(blog)), [])
  })

  test('if columns, tables or properties are in another order', () => {
    const from = state({ a: table({ x: { type: 'text', nullable: true } }), b: table({ x: text, y: text }) })
    const to = state({
      b: { checks: {}, indexes: {}, key: ['id'], columns: { y: text, x: text, id: { type: 'key' } } },
      a: table({ x: { nullable: true, type: 'text' } }),
    })
    assert.deepEqual(findChanges(from, to), { changes: [], questions: [] })
  })

  test('if SQL for each database, or the column of a reference, is written in another way', () => {
    const from = withColumns(
      { author: { type: 'integer', references: { table: 'articles', column: 'id' } } },
      { checks: { c: { sqlite: 'id > 0', postgres: 'id > 0' } } },
    )
    assert.deepEqual(findChanges(from, withColumns({ author: refer('articles') }, { checks: { c: 'id > 0' } })), {
      changes: [],
      questions: [],
    })
  })

  test('a type for each database compares by its value', () => {
    const citext = (postgres: string) => withColumns({ name: { type: { postgres, sqlite: 'text' } } })
    assert.deepEqual(find(citext('citext'), citext('citext')), [])
    assert.deepEqual(find(citext('citext'), citext('text')), [
      { table: 'articles', alterColumn: 'name', type: { postgres: 'text', sqlite: 'text' } },
    ])
  })
})

suite('a new column', () => {
  test('may be null', () => {
    const nullable = { type: 'text', nullable: true } as const
    assert.deepEqual(find(blog, withColumns({ ...articles.columns, state: nullable })), [
      { table: 'articles', addColumn: 'state', ...nullable },
    ])
  })

  const column = { type: 'text', default: 'it\'s "x"\n😀' } as const
  test('has a default with quotation marks, a line break and an emoji', () => {
    assert.deepEqual(find(blog, withColumns({ ...articles.columns, state: column })), [
      { table: 'articles', addColumn: 'state', ...column },
    ])
  })

  const to = withColumns({ ...articles.columns, state: text })
  test('asks for the value of existing rows if it may not be null', () => {
    assert.deepEqual(ask(blog, to), [
      'articles.state is NOT NULL without a value for existing rows: --fill articles.state=<value>, or give it a default',
    ])
  })

  test('gets the answered value', () => {
    assert.deepEqual(find(blog, to, answer({ fills: { 'articles.state': 'draft' } })), [
      { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
    ])
  })

  test('is computed from a column that is new too', () => {
    const computed = { type: 'integer', generated: 'length("text")' } as const
    assert.deepEqual(
      find(blog, withColumns({ ...articles.columns, words: computed, text: { type: 'text', nullable: true } })).map(
        change => 'addColumn' in change && change.addColumn,
      ),
      ['text', 'words'],
    )
  })
})

suite('a column that is gone', () => {
  test('beside a new one asks which it is', () => {
    assert.deepEqual(ask(blog, withColumns({ title: text, text })), [
      'articles.text is new and articles.body is gone. Say which: --rename articles.body=articles.text, or --drop articles.body',
    ])
  })

  test('beside two new ones of its type asks which of them it is', () => {
    const to = withColumns({ title: text, text, state: { type: 'text', nullable: true }, size: { type: 'integer' } })
    assert.deepEqual(ask(blog, to), [
      'articles.text and articles.state are new and articles.body is gone. Say which: --rename articles.body=articles.text, --rename articles.body=articles.state, or --drop articles.body',
      'articles.text is NOT NULL without a value for existing rows: --fill articles.text=<value>, or give it a default',
      'articles.size is NOT NULL without a value for existing rows: --fill articles.size=<value>, or give it a default',
    ])
  })

  test('asks before its data is lost', () => {
    const to = withColumns({ title: text })
    assert.deepEqual(ask(blog, to), ['articles.body is gone, and its data would be lost: --drop articles.body'])
    assert.deepEqual(find(blog, to, answer({ drops: ['articles.body'] })), [{ table: 'articles', dropColumn: 'body' }])
  })

  test('is dropped after its indexes, checks and generated columns', () => {
    const from = withColumns(
      { body: text, words: { type: 'integer', generated: 'length("body")' }, title: text },
      { indexes: { i: { columns: ['title', '-body'] } }, checks: { c: '"body" <> \'\'', d: '"words" > 0' } },
    )
    assert.deepEqual(find(from, withColumns({ title: text }), answer({ drops: ['articles.body'] })), [
      { table: 'articles', dropIndex: 'i' },
      { table: 'articles', dropCheck: 'c' },
      { table: 'articles', dropCheck: 'd' },
      { table: 'articles', dropColumn: 'words' },
      { table: 'articles', dropColumn: 'body' },
    ])
  })

  test('that the database computed is dropped without a question', () => {
    const from = withColumns({ ...articles.columns, words: { type: 'integer', generated: 'length("body")' } })
    assert.deepEqual(find(from, withColumns(articles.columns)), [{ table: 'articles', dropColumn: 'words' }])
  })
})

suite('a renamed column', () => {
  const body = answer({ renames: { 'articles.body': 'articles.text' } })

  test('may change its type too', () => {
    assert.deepEqual(find(blog, withColumns({ title: text, text: { type: 'json' } }), body), [
      { table: 'articles', renameColumn: 'body', to: 'text' },
      { table: 'articles', alterColumn: 'text', type: 'json' },
    ])
  })

  test('and another new one', () => {
    const to = withColumns({ title: text, text, state: { type: 'text', nullable: true } })
    assert.deepEqual(find(blog, to, body), [
      { table: 'articles', renameColumn: 'body', to: 'text' },
      { table: 'articles', addColumn: 'state', type: 'text', nullable: true },
    ])
  })

  test('may take the name of one that is dropped', () => {
    const answers = answer({ renames: { 'articles.body': 'articles.title' }, drops: ['articles.title'] })
    assert.deepEqual(find(blog, withColumns({ title: text }), answers), [
      { table: 'articles', dropColumn: 'title' },
      { table: 'articles', renameColumn: 'body', to: 'title' },
    ])
  })

  test('may exchange names with another', () => {
    const from = withColumns({ title: text, body: { type: 'text', nullable: true } })
    const answers = answer({ renames: { 'articles.body': 'articles.title', 'articles.title': 'articles.body' } })
    const to = withColumns({ title: { type: 'text', nullable: true }, body: text })
    assert.deepEqual(find(from, to, answers), [
      { table: 'articles', renameColumn: 'body', to: 'body_renamed' },
      { table: 'articles', renameColumn: 'title', to: 'body' },
      { table: 'articles', renameColumn: 'body_renamed', to: 'title' },
    ])
  })

  test('takes its indexes along, which get their new names', () => {
    const from = withColumns({ title: text, body: text }, { indexes: { articles_body: { columns: ['-body'] } } })
    const to = withColumns({ title: text, text }, { indexes: { articles_text: { columns: ['-text'] } } })
    assert.deepEqual(find(from, to, body), [
      { table: 'articles', renameColumn: 'body', to: 'text' },
      { table: 'articles', renameIndex: 'articles_body', to: 'articles_text' },
    ])
  })

  test('that is the primary key', () => {
    const to = state({
      articles: { ...articles, columns: { number: { type: 'key' }, title: text, body: text }, key: ['number'] },
    })
    assert.deepEqual(ask(blog, to), [
      'articles.number is new and articles.id is gone. Say which: --rename articles.id=articles.number, or --drop articles',
    ])
    assert.deepEqual(find(blog, to, answer({ renames: { 'articles.id': 'articles.number' } })), [
      { table: 'articles', renameColumn: 'id', to: 'number' },
    ])
  })
})

suite('a renamed table', () => {
  const posts = state({ posts: articles })
  const rename = { renames: { articles: 'posts' } }

  test('is asked for', () => {
    assert.deepEqual(ask(blog, posts), [
      'posts is new and articles is gone. Say which: --rename articles=posts, or --drop articles',
    ])
    assert.deepEqual(find(blog, posts, answer(rename)), [{ renameTable: 'articles', to: 'posts' }])
  })

  test('has a renamed column, with the former or the new name of the table', () => {
    const to = state({ posts: table({ title: text, text }) })
    for (const name of ['articles', 'posts'])
      assert.deepEqual(find(blog, to, answer({ renames: { articles: 'posts', [`${name}.body`]: 'posts.text' } })), [
        { renameTable: 'articles', to: 'posts' },
        { table: 'posts', renameColumn: 'body', to: 'text' },
      ])
  })

  test('takes the references to it along', () => {
    const from = state({ articles, comments: table({ article_id: refer('articles') }) })
    const to = state({ posts: articles, comments: table({ article_id: refer('posts') }) })
    assert.deepEqual(find(from, to, answer(rename)), [{ renameTable: 'articles', to: 'posts' }])
  })
})

suite('null', () => {
  const nullable = withColumns({ title: text, body: { type: 'text', nullable: true } })

  test('is allowed without a question', () => {
    assert.deepEqual(find(blog, nullable), [{ table: 'articles', alterColumn: 'body', type: 'text', nullable: true }])
  })

  test('that is no longer allowed asks for a value, or for the word that there is none', () => {
    assert.deepEqual(ask(nullable, blog), [
      'articles.body may no longer be null. Say which: --fill articles.body=<value>, --fill articles.body if no row contains null, or give it a default',
    ])
    assert.deepEqual(find(nullable, blog, answer({ fills: { 'articles.body': '' } })), [
      { table: 'articles', alterColumn: 'body', type: 'text', fill: '' },
    ])
    assert.deepEqual(find(nullable, blog, answer({ fills: { 'articles.body': null } })), [
      { table: 'articles', alterColumn: 'body', type: 'text' },
    ])
  })

  test('that is no longer allowed becomes the default', () => {
    assert.deepEqual(find(nullable, withColumns({ title: text, body: { type: 'text', default: 'x' } })), [
      { table: 'articles', alterColumn: 'body', type: 'text', default: 'x', fill: 'x' },
    ])
  })
})

suite('tables', () => {
  const a = table({ b_id: refer('b') })
  const b = table({ a_id: refer('a'), self_id: refer('b') })

  test('in a circle are created before the reference that closes it', () => {
    assert.deepEqual(find(state({}), state({ a, b })), [
      { createTable: 'a', columns: { id: 'key', b_id: 'integer' } },
      { createTable: 'b', columns: { id: 'key', a_id: refer('a'), self_id: refer('b') } },
      { table: 'a', alterColumn: 'b_id', ...refer('b') },
    ])
  })

  test('in a circle are dropped after the reference that closes it', () => {
    assert.deepEqual(find(state({ a, b }), state({}), answer({ drops: ['a', 'b'] })), [
      { table: 'b', alterColumn: 'a_id', type: 'integer' },
      { dropTable: 'a' },
      { dropTable: 'b' },
    ])
  })

  test('are created before those that refer to them', () => {
    const through = table({ article_id: refer('articles'), tag_id: refer('tags') }, { key: ['article_id', 'tag_id'] })
    const to = state({ article_tags: through, articles, tags: table({ name: text }) })
    assert.deepEqual(
      find(blog, to).map(change => 'createTable' in change && change.createTable),
      ['tags', 'article_tags'],
    )
  })

  test('between two others get further columns', () => {
    const from = state({ articles, article_tags: table({ article_id: refer('articles') }) })
    const position = { type: 'integer', default: 0 } as const
    const to = state({ articles, article_tags: table({ article_id: refer('articles'), position }) })
    assert.deepEqual(find(from, to), [{ table: 'article_tags', addColumn: 'position', ...position }])
  })

  test('are dropped only if that is said', () => {
    const from = state({ articles, article_tags: table({ article_id: refer('articles') }) })
    assert.deepEqual(ask(from, blog), ['article_tags is gone, and its data would be lost: --drop article_tags'])
    assert.deepEqual(find(from, blog, answer({ drops: ['article_tags'] })), [{ dropTable: 'article_tags' }])
  })

  test('with another primary key are new tables', () => {
    const to = state({ articles: table({ title: text, body: text }, { key: ['title'] }) })
    assert.deepEqual(ask(blog, to), [
      'the primary key of articles changes from id to title, which needs a new table without the rows: --drop articles, or write a step with "run", and say as "state" what it changes',
    ])
    assert.deepEqual(
      find(blog, to, answer({ drops: ['articles'] })).map(change => Object.keys(change)[0]),
      ['dropTable', 'createTable'],
    )
  })
})

suite('indexes and views', () => {
  test('an index whose name changes is renamed', () => {
    const name = 'é'.repeat(31)
    const indexes = { old: { columns: ['-title'] } }
    assert.deepEqual(
      find(
        withColumns({ title: text }, { indexes }),
        withColumns({ title: text }, { indexes: { [name]: indexes.old } }),
      ),
      [{ table: 'articles', renameIndex: 'old', to: name }],
    )
  })

  test('a view is created again after a column of its table changes', () => {
    const views = { titles: 'select "title" from "articles"', first: 'select * from "titles"' }
    assert.deepEqual(
      findChanges(
        state({ articles }, views),
        state({ articles: table({ title: { type: 'json' }, body: text }) }, views),
      ).changes,
      [
        { dropView: 'first' },
        { dropView: 'titles' },
        { table: 'articles', alterColumn: 'title', type: 'json' },
        { createView: 'titles', sql: views.titles },
        { createView: 'first', sql: views.first },
      ],
    )
  })
})

suite('a wrong answer', () => {
  for (const [given, message] of [
    [{ renames: { nothing: 'posts' } }, '--rename nothing=posts: there is no table "nothing"'],
    [{ renames: { articles: 'posts' } }, '--rename articles=posts: no declared table has the name "posts"'],
    [
      { renames: { 'articles.text': 'articles.body' } },
      '--rename articles.text=articles.body: there is no column "text" of a table "articles"',
    ],
    [
      { renames: { 'articles.body': 'articles.txt' } },
      '--rename articles.body=articles.txt: the declared table "articles" has no column "txt"',
    ],
    [{ drops: ['articles.body'] }, '--drop articles.body: the column is still declared'],
    [{ drops: ['articles'] }, '--drop articles: the table is still declared'],
    [
      { fills: { 'articles.body': 'x' } },
      '--fill articles.body: no column of this name is new, or may no longer be null',
    ],
  ] as const)
    test(message, () => {
      assert.throws(() => findChanges(blog, blog, answer(given)), { name: 'WrongAnswer', message })
    })
})
