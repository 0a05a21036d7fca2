import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { createDatabase, createFile } from '../../../test/support/service.ts'
import { openNew } from './migrations/testing.ts'

const all = 'AZaz09-_.!~*\'()%/?#[]@$&+,;= "\\{}|^`<>\t\né…日🏔'

for (const [name, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const)
  test(`${name}: SQL percent-encodes a text and compares lists of texts as JavaScript does`, async context => {
    const database = await openNew(context, createStorage)
    const { kysely, dialect } = database
    const check = async (text: string) => {
      const { rows } = await sql<{ encoded: string; found: unknown; missing: unknown }>`
        select ${dialect.encodeUrl(sql`given.value`)} as encoded,
          ${dialect.isOneOf(sql`given.value`, sql`${dialect.formatList(['other', text])}`)} as found,
          ${dialect.isOneOf(sql`given.value`, sql`${dialect.formatList([`${text}x`])}`)} as missing
        from (select cast(${text} as text) as value) as given`.execute(kysely)
      assert.deepEqual(
        rows.map(row => [row.encoded, Boolean(row.found), Boolean(row.missing)]),
        [[encodeURIComponent(text), true, false]],
        JSON.stringify(text),
      )
    }
    const { rows } = await sql<{ encoded: unknown }>`
      select ${dialect.encodeUrl(sql`cast(null as text)`)} as encoded`.execute(kysely)
    assert.deepEqual(
      rows.map(row => row.encoded),
      [null],
    )
    for (const text of ['', 'plain-Text_1.~', all]) await check(text)
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0') && text.isWellFormed()),
        check,
      ),
    )
  })
