import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { choice, integer, key, readOnly, related, resource, text, textKey, uuidKey } from 'resource-api'
import type { Field } from 'resource-api/extend'
import { created, owner, reference, table, updated } from 'resource-api/tables'

const notes = table('notes', {
  columns: {
    id: key(),
    title: text({ max: 100, unique: 'taken' }),
    state: choice(['open', 'done']),
    stars: integer({ min: 1, max: 5 }),
    note: text({ nullable: true }),
    author: owner('users'),
    topic: reference('topics'),
    created: created(),
    updated: updated(),
  },
})
const declare = (fields: Readonly<Record<string, Field>>) => resource('notes', { table: notes, fields })

suite('resource of a declared table', () => {
  test('has the name and the key of the table, and the columns that fill themselves', () => {
    const things = table('things', { key: uuidKey(), columns: { id: key(), created: created() } })
    const {
      table: name,
      key: own,
      hookColumns,
    } = resource('all', { table: things, fields: things.pick('id', 'created') })
    assert.deepEqual([name, own.type, hookColumns], ['things', 'uuid', ['created']])
  })

  test('may take less than its table', () => {
    declare({
      title: text({ max: 50, min: 2, unique: 'taken' }),
      state: choice(['open']),
      stars: integer({ min: 2, max: 3 }),
      note: text({ max: 10 }),
      topic: related('topics'),
    })
  })

  test('checks the unique sets of its table whose columns bodies give', () => {
    const places = table('places', {
      columns: { id: key(), row: integer(), seat: integer(), topic: reference('topics'), author: owner('users') },
      unique: [
        ['seat', 'topic'],
        ['seat', 'author'],
        ['row', 'seat'],
      ],
    })
    const fields = {
      ...places.pick('seat'),
      row: readOnly(integer()),
      subject: related('topics', { column: 'topic_id' }),
    }
    assert.deepEqual(resource('places', { table: places, fields }).uniqueTogether, [['seat', 'subject'], ['seat']])
    assert.deepEqual(resource('places', { table: places, fields, uniqueTogether: [] }).uniqueTogether, [])
  })

  test('may take the key', () => {
    const countries = table('countries', { key: textKey({ column: 'code' }), columns: { code: key() } })
    const { fields } = resource('countries', { table: countries, fields: countries.pick('code') })
    assert.equal(fields.code?.readOnly, false)
  })

  for (const [problem, fields] of [
    ['field "titel": the table "notes" has no column "titel": write "title"', { titel: text() }],
    ['field "other": the table "notes" has no column "other": add it to the table', { other: text() }],
    widening('title', 'takes values that another object has', text({ max: 100 })),
    widening('title', 'has no max_length of at most 100', text({ unique: 'taken' })),
    widening('title', 'has no max_length of at most 100', text({ unique: 'taken', max: 101 })),
    widening('title', 'takes null', text({ max: 10, unique: 'taken', nullable: true })),
    widening('state', 'takes "new"', choice(['open', 'new'])),
    widening('state', 'takes other values than its choices', text()),
    widening('stars', 'has no min_value of at least 1', integer({ max: 5 })),
    widening('stars', 'stores text', text()),
    widening('topic', 'takes null', related('topics', { nullable: true }), 'topic_id'),
  ] as const)
    test(problem, () => {
      assert.throws(() => declare(fields), { message: `resource "notes": ${problem}` })
    })
})

function widening(name: string, problem: string, field: Field, column = name) {
  const rest = `which the column "${column}" of table "notes" does not: a resource may only take less than its table`
  return [`field "${name}" ${problem}, ${rest}`, { [name]: field }] as const
}
