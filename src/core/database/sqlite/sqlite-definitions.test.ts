import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { parseChecks, parseIndexColumns } from './sqlite-definitions.ts'

const columns = ['id', 'x', 'y', 'the z', 'note']
const table = `create table t (
  id integer primary key, -- check (nothing)
  x int check ("x" > 1), y int, "the z" int constraint "z rule" check ([the z] < 5),
  note text default 'check (x)',
  constraint pair check (x < y or (y is null /* ) */ and note <> 'the z')),
  check ( y
    > 2 ), check (note <> 'it''s)')
)`

test('parseChecks returns the label that SQLite reports in its error, and the columns that the CHECK uses', () => {
  const database = new DatabaseSync(':memory:')
  database.exec(table)
  const broken = {
    x: 'insert into t (x) values (0)',
    'z rule': 'insert into t ("the z") values (9)',
    pair: 'insert into t (x, y) values (9, 8)',
    'y\n    > 2': 'insert into t (y) values (0)',
    "note <> 'it''s)'": "insert into t (note) values ('it''s)')",
  }
  for (const [label, insert] of Object.entries(broken))
    assert.throws(() => database.exec(insert), { message: `CHECK constraint failed: ${label}` })
  database.close()
  const expected = [['x'], ['the z'], ['x', 'y', 'note'], ['y'], ['note']]
  assert.deepEqual(
    parseChecks(table, columns),
    Object.keys(broken).map((label, index) => ({ kind: 'check', label, columns: expected[index] })),
  )
})

test('parseIndexColumns returns the columns between the parentheses of the index', () => {
  const index = (text: string) => parseIndexColumns(`create unique index i on t ${text}`, columns)
  assert.deepEqual(index('(lower(note), x) where y > 5'), ['x', 'note'])
  assert.deepEqual(index(`("THE Z" + 1, 'y')`), ['the z'])
})
