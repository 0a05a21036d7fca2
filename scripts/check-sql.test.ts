import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findSqlViolations, readSqlTexts } from './check-sql.ts'

const check = (text: string, file = 'src/core/fields/a.ts') => findSqlViolations([{ file, line: 1, text }], {})

test('words that every database understands may stand in the folders of templates', () => {
  const text = 'select … from … where … = … and coalesce(…, false) order by … limit …'
  assert.deepEqual(check(text), [])
  assert.deepEqual(check('select 1', 'src/server/a.ts'), [
    'src/server/a.ts:1: no sql template may stand in src/server/',
  ])
})

const words: Readonly<Record<string, string>> = {
  '… || …': '"||": use concat()',
  'cast(… as text)': '"cast(": use castTo()',
  '…::int': '"::": use castTo()',
  '… ->> …': '"->": use member() or jsonMember()',
  '… / 2': '"/": use divide()',
  'order by … nulls  last': '"nulls  last": use orderItem()',
  'length(…) > 2': '"length(": use textLength()',
  'lower(…)': '"lower(": use `lowerText` of the dialect',
  '… ilike …': '"ilike": use `isLike` of the dialect',
  '… collate nocase': '"collate": use `plainText` of the dialect',
  'select 1 for update': '"for update": use `forUpdate` of the dialect',
  '… is distinct from …': '"distinct from": use `=` with a case for null',
  'insert into a values (1) on conflict do nothing': '"on conflict": use `onConflict` of Kysely',
  'delete from a returning id': '"returning": use `returning` of Kysely',
  'insert into a default values': '"default values": use `defaultValues` of Kysely',
  'create table a': '"create": use `kysely.schema`',
  'select key': '"key": use sql.id() or sql.ref(), because MySQL reserves the word',
  'select "user"': '""": use sql.id() or sql.ref()',
  '… = any(…)': '"any(": use `isOneOf` of the dialect',
  'select json_object(…)': '"json_object": use a member of the dialect',
}

for (const [text, message] of Object.entries(words))
  test(`"${text}" is a violation outside of database/`, () => {
    assert.deepEqual(check(text), [`src/core/fields/a.ts:1: not every database understands ${message}`])
    assert.deepEqual(check(text, 'src/core/database/sqlite/a.ts'), [])
  })

test('a file may say the words of its exception, and an exception that is not needed is a violation', () => {
  const file = 'src/core/fields/a.ts'
  const returning = { file, line: 1, text: 'delete from … returning …' }
  assert.deepEqual(findSqlViolations([returning], { [file]: ['returning'] }), [])
  assert.deepEqual(findSqlViolations([], { [file]: ['returning'] }), [
    `${file}: no template says "returning": remove the exception from scripts/check-sql.ts`,
  ])
})

test('templates and the arguments of sql.raw are read, and examples in comments and tests are not', () => {
  const root = mkdtempSync(join(tmpdir(), 'check-sql-'))
  try {
    const files = {
      'tsconfig.json': '{}',
      'src/a.ts': `const sql: any = ''
/** sql\`comment\` */
export const one = sql<number>\`select \${sql\`x\`} or
  \${2}\`
export const two = [sql.raw('desc'), sql.raw(\`a \${1}\`), other\`no\`, \`no\`]`,
      'src/a.test.ts': 'sql`test`',
      'test/a.ts': 'sql`test`',
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    assert.deepEqual(
      readSqlTexts(root).map(({ file, line, text }) => `${file}:${line}: ${text}`),
      ['src/a.ts:3: select … or\n  …', 'src/a.ts:3: x', 'src/a.ts:5: desc', 'src/a.ts:5: a …'],
    )
  } finally {
    rmSync(root, { recursive: true })
  }
})
