import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { formatTable, parseTable } from './table-text.ts'

// As programs write them: this one, Django, Rails, Drizzle and people.
const statements: readonly string[] = [
  'create table t (a)',
  'CREATE TABLE t(a INTEGER PRIMARY KEY ASC AUTOINCREMENT, b TEXT UNIQUE ON CONFLICT IGNORE, c)',
  `CREATE TABLE "t" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "price" decimal NOT NULL, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "user_id" integer NOT NULL REFERENCES "users" ("id") DEFERRABLE INITIALLY DEFERRED, "n" smallint unsigned NOT NULL CHECK ("n" >= 0))`,
  'CREATE TABLE "t" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar DEFAULT NULL, "created_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_1" FOREIGN KEY ("name") REFERENCES "users" ("name") ON DELETE SET NULL ON UPDATE CASCADE, CONSTRAINT chk CHECK (length(name) > 0))',
  "CREATE TABLE `t` (\n\t`id` integer PRIMARY KEY NOT NULL,\n\t`name` text DEFAULT 'a, (b)' NOT NULL,\n\t`at` integer DEFAULT (unixepoch() * 1000),\n\tFOREIGN KEY (`id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set default\n)",
  'create table [t] ([a b] double precision default -1.5e3 not null, c int default +7, d text default current_timestamp collate nocase, e blob default x\'00ff\', f default null, g default "quoted")',
  'create table t (a int, b int generated always as (a + 1) stored, c int as (a * 2), d as (b) virtual not null)',
  'create table t (a int constraint positive check (a > 0) constraint filled not null on conflict fail, b int null, primary key (a, b desc), unique (b) on conflict replace) without rowid',
  "create table t (a int -- the first, of two\n, b text /* the ) second */ default ('x' || (1 + 2)), -- end\n check (a > 0)\n) strict",
  'create table t (a references users, b references users (id) match full on delete cascade not deferrable initially immediate not null unique)',
  'create table t ("check" int, "primary" text, "a""b" int, `unique` int, foreign key ("check") references users (id))',
  "create table t (a decimal(10, 2) default 0x1F, b varchar ( 20 ) default 'it''s', \"💡\" text)",
]

const describe = (handle: DatabaseSync): unknown =>
  ['table_xinfo', 'foreign_key_list', 'index_list'].map(name =>
    handle.prepare(`select * from pragma_${name}('t')`).all(),
  )

suite('a CREATE TABLE statement', () => {
  for (const text of statements)
    test(`means the same after it was split: ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`, () => {
      const [first, second] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')] as const
      first.exec(text)
      const stored = first.prepare("select sql from sqlite_schema where name = 't'").get()!.sql as string
      const table = parseTable(stored)
      second.exec(formatTable('"t"', table))
      assert.deepEqual(describe(second), describe(first))
      const again = parseTable(second.prepare("select sql from sqlite_schema where name = 't'").get()!.sql as string)
      assert.deepEqual(again, table)
    })

  test('is split into columns with their clauses, and constraints', () => {
    const { columns, constraints, options } = parseTable(
      'create table t (a int not null default (1), b text constraint long check (length(b) > 3), unique (a, b)) strict',
    )
    assert.deepEqual(
      columns.map(({ name, type, clauses }) => [name, type, clauses.map(({ kind, text }) => [kind, text])]),
      [
        [
          'a',
          'int',
          [
            ['not', 'not null'],
            ['default', 'default (1)'],
          ],
        ],
        ['b', 'text', [['check', 'constraint long check (length(b) > 3)']]],
      ],
    )
    assert.deepEqual(
      [constraints.map(({ kind, columns: names }) => [kind, names]), options],
      [[['unique', ['a', 'b']]], ' strict'],
    )
  })
})
