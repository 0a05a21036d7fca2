import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { describeChanges } from './describe-changes.ts'
import { nameStep } from './name-step.ts'
import { emptyState } from './schema-state.ts'

const blog = applyChanges(emptyState, [
  { createTable: 'articles', columns: { id: 'key', body: 'text' } },
  {
    createTable: 'comments',
    columns: { id: 'key', article_id: { type: 'integer', references: { table: 'articles' } } },
  },
])

suite('describeChanges', () => {
  test('says what each change does, and what SQLite and PostgreSQL do for it', () => {
    assert.deepEqual(
      describeChanges(blog, [
        { table: 'articles', renameColumn: 'body', to: 'text' },
        { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
        { table: 'articles', addIndex: 'articles_state', columns: ['state', '-id'], unique: true },
        { createTable: 'tags', columns: { id: 'key', name: 'text' } },
        { table: 'tags', addCheck: 'c', sql: 'true' },
      ]),
      [
        'articles: rename column body -> text',
        "articles: add column state text not null, existing rows get 'draft'",
        'articles: add index articles_state: unique on state, -id',
        'tags: create table with id, name',
        'tags: add check c: true',
        'SQLite rebuilds "articles" (3 columns, referred to by 1 table). PostgreSQL: no rewrite, no long lock.',
      ],
    )
  })

  test('names the tables that PostgreSQL rewrites', () => {
    assert.deepEqual(
      describeChanges(blog, [{ table: 'articles', alterColumn: 'body', type: 'json', nullable: true }]),
      [
        'articles: change column body to json null',
        'SQLite rebuilds "articles" (2 columns, referred to by 1 table). PostgreSQL rewrites "articles", and locks reads and writes meanwhile.',
      ],
    )
  })

  test('a nullable column, and one with a constant default, need no rebuild', () => {
    assert.deepEqual(
      describeChanges(blog, [
        { table: 'articles', addColumn: 'a', type: 'text', nullable: true },
        { table: 'articles', addColumn: 'b', type: 'text', default: "it's" },
        { table: 'articles', dropColumn: 'body' },
      ]),
      [
        'articles: add column a text null',
        "articles: add column b text not null default 'it''s'",
        'articles: drop column body, with its values',
        'SQLite: no rebuild. PostgreSQL: no rewrite, no long lock.',
      ],
    )
  })
})

suite('nameStep', () => {
  const addState: Change = { table: 'articles', addColumn: 'state', type: 'text', nullable: true }
  for (const [earlier, changes, name] of [
    [[], [addState], '0001_first'],
    [['0001_first'], [{ table: 'articles', renameColumn: 'body', to: 'text' }, addState], '0002_article_state'],
    [['0009_a', '0010_b'], [{ createTable: 'tags', columns: { id: 'key' } }], '0011_tags'],
    [['0001_first'], [{ table: 'categories', dropColumn: 'prix détaillé (€)' }], '0002_category_without_prix_detaille'],
    [['0001_first'], [{ table: 'статьи', dropIndex: 'i' }], '0002_change'],
    [['0001_first'], [addState, { ...addState, addColumn: 'text' }], '0002_article_state_and_article_text'],
    [['create_books'], [{ dropTable: 'tags' }], '0001_without_tags'],
  ] as const satisfies readonly (readonly [readonly string[], readonly Change[], string])[])
    test(`names a step ${name}`, () => {
      assert.equal(nameStep(earlier, changes), name)
    })
})
