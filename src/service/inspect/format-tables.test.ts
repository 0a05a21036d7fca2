import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Schema } from 'resource-api/tables'
import { type ExistingState, findChanges, type SchemaState } from '#core'
import { randomCases } from '../../../test/support/repetitions.ts'
import { anyState } from '../../core/database/schema/testing.ts'
import { formatProgram, runProgram } from '../code/testing.ts'
import { formatTables } from './format-tables.ts'

type Tables = SchemaState['tables']

function format(tables: Tables, notes: ExistingState['notes'] = {}): string {
  const none = Object.fromEntries(Object.keys(tables).map(name => [name, []]))
  return formatTables({ tables, views: {}, notes: { ...none, ...notes } }, { owner: "the shop's" })
}

/** A table with an integer key, and these columns. */
const createTable = (columns: Tables[string]['columns'] = {}): Tables[string] => ({
  columns: { id: { type: 'key' }, ...columns },
  key: ['id'],
  indexes: {},
  checks: {},
})

/** Runs the declarations; fails if they do not ask for the same tables. Returns the names of the constants. */
async function declare(tables: Tables): Promise<readonly string[]> {
  const { schema, ...constants } = await runProgram(format(tables))
  assert.deepEqual(findChanges({ tables, views: {} }, (schema as Schema).state), { changes: [], questions: [] })
  return Object.keys(constants)
}

/** States that a declaration can say: with usual keys and names of checks, and with some long names and long SQL. */
const anyTables: fc.Arbitrary<Tables> = fc
  .tuple(anyState, fc.nat({ max: 60 }), fc.nat({ max: 20 }))
  .map(([{ tables }, nameLength, sqlLength]) => {
    const entries = Object.entries(tables).map(([name, table]) => {
      const checks = Object.entries(table.checks).filter(([check]) => check.startsWith(`${name}_`))
      return [name, { ...table, key: ['id'], checks: Object.fromEntries(checks) }]
    })
    const text = JSON.stringify(Object.fromEntries(entries))
    return JSON.parse(
      text
        .replaceAll('title', `title${'x'.repeat(nameLength)}`)
        .replaceAll(' is not null', ` is not null${' or true'.repeat(sqlLength)}`)
        .replaceAll('length(', `${'('.repeat(sqlLength)}length(`),
    )
  })

suite('the declarations that inspect prints', () => {
  test('ask for the tables, as Biome formats them', async () => {
    const texts: string[] = []
    for (const tables of fc.sample(anyTables, randomCases(500))) {
      await declare(tables)
      const withoutImports = format(tables).replaceAll(/^import .*\n+/gm, '')
      texts.push(withoutImports.replaceAll(/^export const/gm, 'var'))
    }
    const formatted = formatProgram(texts.join('\n'))
    for (const text of texts) assert.ok(formatted.includes(text), text)
  })

  test('import what they call, in several lines if one is too long', async () => {
    const types = [
      'text',
      'boolean',
      'number',
      'date',
      'time',
      'dateTime',
      'duration',
      'uuid',
      'json',
      'integer',
    ] as const
    const columns = Object.fromEntries(types.map(type => [type, { type }]))
    const tables = {
      all: createTable({
        ...columns,
        decimal: { type: 'decimal(4,2)' },
        all_id: { type: 'integer', references: { table: 'all' } },
      }),
      texts: { ...createTable(), columns: { id: { type: 'text' } } },
      uuids: { ...createTable(), columns: { id: { type: 'uuid' } } },
    } as const
    await declare(tables)
    assert.equal(formatProgram(format(tables)), format(tables))
  })

  test('keep the reference of a key', async () => {
    const references = { table: 'codes', column: 'code' }
    const code = { columns: { code: { type: 'text' } }, key: ['code'], indexes: {}, checks: {} } as const
    await declare({ codes: code, code_notes: { ...code, columns: { code: { type: 'text', references } } } })
  })

  test('name each table after its name, or with a number', async () => {
    const names = {
      order_lines: 'orderLines',
      orderLines: 'orderLinesTable',
      'order-lines': 'orderLines2',
      class: 'classTable',
      implements: 'implementsTable',
      eval: 'evalTable',
      arguments: 'argumentsTable',
      undefined: 'undefinedTable',
      globalThis: 'globalThisTable',
      tables: 'tablesTable',
      schema: 'schemaTable',
      text: 'textTable',
      '2024 sales': 'table2024Sales',
      '!': 'tableTable',
      größe: 'größe',
      constructor: 'constructor',
    }
    const tables = Object.fromEntries(Object.keys(names).map(name => [name, createTable({ text: { type: 'text' } })]))
    assert.deepEqual(await declare(tables), Object.values(names).toSorted())
  })

  test('write names and texts that contain quotation marks, line breaks or the words of code', async () => {
    const texts = ["it's", '"a"', `'"`, 'a\nb\u2028c\\', 'constructor', 'class', '1', '$', '*/', 'code']
    const columns = Object.fromEntries(
      texts.map(each => [each, { type: { sqlite: each, postgres: 'x' }, default: each } as const]),
    )
    for (const name of texts)
      await declare({
        [name]: {
          ...createTable(columns),
          indexes: { [name]: { columns: ["it's", '-code'], unique: true, where: name } },
          checks: { [`${name}_${name}`]: name },
        },
      })
  })

  test('comment what they leave out, in one line each', async () => {
    const log = { ...createTable(), key: [] }
    const text = format(
      { 'a\nb': log, c: createTable() },
      { c: ['the constraint "unique (a)\n on conflict\u2028replace"'] },
    )
    assert.match(text, /^\/\/ The table "a b" has no primary key/m)
    assert.match(text, /^\/\/ Not declared: the constraint "unique \(a\) on conflict replace"\.$/m)
    assert.deepEqual(Object.keys(await runProgram(text)), ['c', 'schema'])
  })
})
