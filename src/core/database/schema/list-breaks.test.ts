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
