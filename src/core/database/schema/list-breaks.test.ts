import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { listBreaks } from './list-breaks.ts'
import { emptyState } from './schema-state.ts'

const before = applyChanges(emptyState, [
  { createTable: 'articles', columns: { id: 'key', body: 'text', note: { type: 'text', nullable: true } } },
  { createTable: 'tags', columns: { id: 'key' } },
])

test('a program from before a step survives what only adds, and not what it uses or does not know', () => {
  const table = 'articles'
  const added: readonly Change[] = [
    { createTable: 'users', columns: { id: 'key' } },
    { table: 'users', addColumn: 'name', type: 'text' },
    { table, addColumn: 'a', type: 'text', nullable: true },
    { table, addColumn: 'b', type: 'text', default: 'x' },
    { table, alterColumn: 'body', type: 'text', nullable: true },
    { table, addIndex: 'i', columns: ['a'] },
  ]
  assert.deepEqual(listBreaks(before, added), [])
  assert.deepEqual(
    listBreaks(before, [
      { table, addColumn: 'state', type: 'text', fill: 'draft' },
      { table, alterColumn: 'note', type: 'text' },
      { table, alterColumn: 'body', type: 'json' },
      { table, renameColumn: 'body', to: 'text' },
      { table, dropColumn: 'note' },
      { renameTable: 'articles', to: 'posts' },
      { dropTable: 'tags' },
    ]),
    [
      'does not write articles.state',
      'may write null to articles.note',
      'writes articles.body as another type',
      'uses articles.body',
      'uses articles.note',
      'uses the table articles',
      'uses the table tags',
    ],
  )
})

test('a program from before a step does not fit rules that it does not know, or that are gone', () => {
  const table = 'articles'
  const tagged = applyChanges(before, [
    { table, addColumn: 'tag_id', type: 'integer', nullable: true, references: { table: 'tags' } },
    { table, addColumn: 'state', type: 'text', default: 'draft' },
    { table, addIndex: 'bodies', columns: ['body'], unique: true },
    { createView: 'notes', sql: 'select "note" from "articles"' },
  ])
  const fitting: readonly Change[] = [
    { table, addColumn: 'slug', type: 'text', nullable: true },
    { table, addIndex: 'slugs', columns: ['slug'], unique: true },
    { table, addCheck: 'slug', sql: `"slug" <> ''` },
    { table, alterColumn: 'body', type: 'text', default: '' },
    { dropView: 'notes' },
    { createView: 'notes', sql: 'select "note", "body" from "articles"' },
  ]
  assert.deepEqual(listBreaks(tagged, fitting), [])
  assert.deepEqual(
    listBreaks(tagged, [
      { table, addIndex: 'i', columns: ['note'], unique: true },
      { table, dropIndex: 'bodies' },
      { table, addCheck: 'body', sql: `"body" <> ''` },
      { table, alterColumn: 'state', type: 'text' },
      { table, alterColumn: 'tag_id', type: 'integer', nullable: true },
      { table, addColumn: 'size', type: 'integer', default: 1 },
      { table, alterColumn: 'size', type: 'integer' },
      { dropView: 'notes' },
    ]),
    [
      'may write what i of articles refuses',
      'needs the unique index bodies of articles',
      'may write what the check body of articles refuses',
      'needs the default of articles.state',
      'needs the references of articles.tag_id as they were',
      'does not write articles.size',
      'uses the view notes',
    ],
  )
})
