import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { emptyState } from './schema-state.ts'

const articles: Change = {
  createTable: 'articles',
  columns: { id: 'key', title: 'text', words: { type: 'integer', generated: 'length("title")' } },
  indexes: { articles_title: { columns: ['-title', 'id'], where: '"title" <> \'\'' } },
  checks: { articles_titled: '"title" <> \'\'' },
}
const comments: Change = {
  createTable: 'comments',
  columns: { id: 'key', article_id: { type: 'integer', references: { table: 'articles', onDelete: 'cascade' } } },
}
const blog = applyChanges(emptyState, [articles, comments])

suite('applyChanges', () => {
  test('a created table has complete columns and a key', () => {
    assert.deepEqual(blog.tables.articles, {
      columns: {
        id: { type: 'key' },
        title: { type: 'text' },
        words: { type: 'integer', generated: 'length("title")' },
      },
      key: ['id'],
      indexes: { articles_title: { columns: ['-title', 'id'], where: '"title" <> \'\'' } },
      checks: { articles_titled: '"title" <> \'\'' },
    })
  })

  test('a renamed column keeps its place, and all that names it follows', () => {
    const { tables } = applyChanges(blog, [{ table: 'articles', renameColumn: 'title', to: 'name' }])
    assert.deepEqual(Object.keys(tables.articles!.columns), ['id', 'name', 'words'])
    assert.deepEqual(tables.articles!.columns.words, { type: 'integer', generated: 'length("name")' })
    assert.deepEqual(tables.articles!.indexes, {
      articles_title: { columns: ['-name', 'id'], where: '"name" <> \'\'' },
    })
    assert.deepEqual(tables.articles!.checks, { articles_titled: '"name" <> \'\'' })
  })

  test('references follow a renamed table and a renamed key', () => {
    const { tables } = applyChanges(blog, [
      { renameTable: 'articles', to: 'posts' },
      { table: 'posts', renameColumn: 'id', to: 'number' },
    ])
    assert.deepEqual(tables.posts!.key, ['number'])
    assert.deepEqual(tables.comments!.columns.article_id!.references, {
      table: 'posts',
      column: 'number',
      onDelete: 'cascade',
    })
  })

  test('an added or altered column is in the state without the values for existing rows', () => {
    const { tables } = applyChanges(blog, [
      { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
      { table: 'comments', alterColumn: 'article_id', type: 'text', using: 'cast("article_id" as text)' },
    ])
    assert.deepEqual(tables.articles!.columns.state, { type: 'text' })
    assert.deepEqual(tables.comments!.columns.article_id, { type: 'text' })
  })

  for (const [change, message] of [
    [articles, 'table "articles" exists already'],
    [
      { createTable: 'a', columns: { name: 'text' } },
      'table "a": no column is the primary key: name its columns, as in key: ["id"]',
    ],
    [{ dropTable: 'nothing' }, 'table "nothing" does not exist'],
    [
      { dropTable: 'articles' },
      'table "articles": the table "comments" refers to it: drop that column, or that table, first',
    ],
    [{ table: 'articles', addColumn: 'title', type: 'text' }, 'table "articles": column "title" exists already'],
    [{ table: 'articles', renameColumn: 'title', to: 'id' }, 'table "articles": column "id" exists already'],
    [
      { table: 'articles', dropColumn: 'title' },
      'table "articles": the index "articles_title" has the column "title": drop the index first',
    ],
    [
      { table: 'articles', dropColumn: 'id' },
      'table "articles": the index "articles_title" has the column "id": drop the index first',
    ],
    [{ table: 'comments', dropColumn: 'id' }, 'table "comments": the column "id" is a part of the primary key'],
    [
      { table: 'articles', addIndex: 'wrong', columns: ['-nme'] },
      'table "articles": index "wrong": there is no column "nme"',
    ],
    [{ table: 'articles', dropCheck: 'nothing' }, 'table "articles": check "nothing" does not exist'],
  ] as const satisfies readonly (readonly [Change, string])[])
    test(message, () => {
      assert.throws(() => applyChanges(blog, [change]), { message })
    })
})
