// `list({ of: text(), rows })`: a list of texts in the rows of another table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, key, list, type Migrations, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const rows = { table: 'article_tags', own: 'article_id', other: 'tag' }

const articles = resource('articles', {
  table: 'articles',
  fields: { id: key(), title: text(), tags: list({ of: text({ max: 10 }), rows, max: 3, default: [] }) },
})

const migrations: Migrations = {
  async '0001_articles'({ schema }, { key, text, reference }) {
    await schema
      .createTable('articles')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .execute()
    await schema
      .createTable('article_tags')
      .addColumn('article_id', reference, column => column.notNull().references('articles.id').onDelete('cascade'))
      .addColumn('tag', text, column => column.notNull())
      .addPrimaryKeyConstraint('article_tags_key', ['article_id', 'tag'])
      .execute()
  },
}

onEachDatabase(
  () => ({ resources: [articles] }),
  api => {
    test('the items are distinct and sorted, and a body replaces them', async () => {
      const { client } = api()
      const made = await client.post('/articles/', { json: { title: 'a', tags: ['tea', ' "milk" ', 'tea'] } })
      assert.deepEqual([made.status, made.json().tags], [201, ['"milk"', 'tea']])
      const path = `/articles/${made.json().id}/`
      assert.deepEqual((await client.patch(path, { json: { tags: ['cup', 'tea'] } })).json().tags, ['cup', 'tea'])
      assert.deepEqual((await client.patch(path, { json: { title: 'b' } })).json().tags, ['cup', 'tea'])
      assert.deepEqual((await client.put(path, { json: { title: 'b', tags: [] } })).json().tags, [])
      assert.deepEqual((await client.get(path)).json().tags, [])
    })

    test('wrong items are refused at their place', async () => {
      for (const [tags, errors] of [
        [['tea', ''], { 1: ['This field may not be blank.'] }],
        [['tea', 'a longer text'], { 1: ['Ensure this field has no more than 10 characters.'] }],
        [['a', 'b', 'c', 'd'], ['Ensure this field has no more than 3 elements.']],
        ['tea', ['Expected a list of items but got type "str".']],
        [null, ['This field may not be null.']],
      ] as const) {
        const refused = await api().client.post('/articles/', { json: { title: 'a', tags } })
        assert.deepEqual([refused.status, refused.json()], [400, { tags: errors }])
      }
    })
  },
  { migrations },
)

test('rows take a list of texts that is neither null nor in a column', () => {
  for (const [declare, message] of [
    [() => list({ of: integer(), rows }), 'list(): rows store texts: write of: text(), or remove "rows"'],
    [
      () => list({ of: text(), rows, column: 'tags' }),
      'list(): a list has rows or a column: remove one of "rows" and "column"',
    ],
    [
      () => list({ of: text(), rows, nullable: true }),
      'list(): rows cannot store null: remove "nullable"; no rows are the empty list',
    ],
  ] as const)
    assert.throws(declare, { message })
})
