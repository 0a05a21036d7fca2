// States for property tests.

import fc from 'fast-check'
import { quote } from '../catalogue.ts'
import type { Dialect } from '../dialect.ts'
import type { Comparable } from './describe-differences.ts'
import { type FoundChanges, findChanges } from './find-changes.ts'
import { type Answer, type Answers, noAnswers } from './question.ts'
import type {
  ColumnState,
  ColumnType,
  DefaultValue,
  IndexState,
  ReferenceState,
  SchemaState,
  TableState,
} from './schema-state.ts'

const tableNames = ['articles', 'tags', 'users', 'order', "o'clock"]
const columnNames = ['title', 'body', 'state', 'a "b"', 'größe', '😀']
const types: readonly ColumnType[] = [
  'integer',
  'text',
  'boolean',
  'dateTime',
  'json',
  'decimal(12,2)',
  { sqlite: 'text', postgres: 'citext' },
]

/** Any state whose tables, columns, indexes and checks fit each other. */
export const anyState: fc.Arbitrary<SchemaState> = fc
  .uniqueArray(fc.constantFrom(...tableNames), { maxLength: 5 })
  .chain(names =>
    fc
      .tuple(...names.map(name => anyTable(name, names)))
      .map(tables => ({ tables: Object.fromEntries(names.map((name, index) => [name, tables[index]!])) })),
  )
  .chain(({ tables }) => anyViews(Object.keys(tables)).map(views => ({ tables, views })))

const anyViews = (tables: readonly string[]): fc.Arbitrary<SchemaState['views']> =>
  tables.length === 0
    ? fc.constant({})
    : fc.dictionary(
        fc.constantFrom('v1', 'v2', 'v3'),
        fc.constantFrom(...tables, 'v1').map(table => `select * from ${quote(table)}`),
        { noNullPrototype: true },
      )

function anyTable(name: string, tables: readonly string[]): fc.Arbitrary<TableState> {
  return fc.uniqueArray(fc.constantFrom(...columnNames), { minLength: 1 }).chain(names =>
    fc
      .record({
        columns: fc.tuple(...names.map((_, index) => anyColumn(tables, names.slice(0, index)))),
        indexes: fc.array(anyIndex(names), { maxLength: 3 }),
        checks: fc.array(
          fc.constantFrom(...names).map(column => `${quote(column)} is not null`),
          { maxLength: 2 },
        ),
        key: fc.oneof(
          { weight: 8, arbitrary: fc.constant(['id']) },
          { weight: 1, arbitrary: fc.constant([names[0]!]) },
        ),
        prefix: fc.constantFrom('', 'i_'),
      })
      .map(({ columns, indexes, checks, key, prefix }) => ({
        columns: {
          id: { type: 'key' as const },
          ...Object.fromEntries(names.map((column, index) => [column, columns[index]!])),
        },
        key,
        indexes: Object.fromEntries(indexes.map((index, number) => [`${prefix}${name}_${number}`, index])),
        checks: Object.fromEntries(checks.map((check, number) => [`${prefix}${name}_check_${number}`, check])),
      })),
  )
}

const anyDefault: fc.Arbitrary<DefaultValue> = fc.oneof(
  fc.constantFrom('', 'it\'s "x"\n\\ 😀', 0, -1.5, true),
  fc.constant({ now: true as const }),
  fc.constantFrom({ sql: "'a' || 'b'" }, { sql: { sqlite: '1', postgres: '2' } }),
)

const anyColumn = (tables: readonly string[], earlier: readonly string[]): fc.Arbitrary<ColumnState> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record(
        { type: fc.constantFrom(...types), nullable: fc.constant(true as const), default: anyDefault },
        { noNullPrototype: true, requiredKeys: ['type'] },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          type: fc.constant('integer' as const),
          nullable: fc.constant(true as const),
          references: anyReference(tables),
        },
        { noNullPrototype: true, requiredKeys: ['type', 'references'] },
      ),
    },
    {
      weight: earlier.length > 0 ? 1 : 0,
      arbitrary: fc
        .constantFrom(...(earlier.length > 0 ? earlier : ['id']))
        .map(column => ({ type: 'text' as const, generated: `length(${quote(column)})` })),
    },
  )

const anyReference = (tables: readonly string[]): fc.Arbitrary<ReferenceState> =>
  fc.record(
    { table: fc.constantFrom(...tables), onDelete: fc.constantFrom('cascade' as const, 'set null' as const) },
    { noNullPrototype: true, requiredKeys: ['table'] },
  )

const anyIndex = (columns: readonly string[]): fc.Arbitrary<IndexState> =>
  fc.record(
    {
      columns: fc
        .uniqueArray(fc.constantFrom(...columns), { minLength: 1, maxLength: 2 })
        .map(names => names.map((name, index) => (index === 0 ? `-${name}` : name))),
      unique: fc.constant(true as const),
      where: fc.constantFrom(...columns).map(column => `${quote(column)} is not null`),
    },
    { noNullPrototype: true, requiredKeys: ['columns'] },
  )

/** Like `anyState`; each database can have it, and convert values between its types. */
export const anyRunnableState: fc.Arbitrary<SchemaState> = fc
  .uniqueArray(fc.constantFrom(...tableNames), { minLength: 1, maxLength: 4 })
  .chain(names =>
    fc.tuple(...names.map(name => anyRunnableTable(name, names))).map(tables => ({
      tables: Object.fromEntries(names.map((name, index) => [name, tables[index]!])),
      views: { [`${names[0]}_view`]: `select * from ${quote(names[0]!)}` },
    })),
  )

function anyRunnableTable(name: string, tables: readonly string[]): fc.Arbitrary<TableState> {
  const names = columnNames.slice(0, 4)
  const toParts = <Part>(parts: readonly Part[], word: string) =>
    Object.fromEntries(parts.map((part, index) => [`${name}_${word}_${index}`, part]))
  return fc
    .record({
      present: fc.subarray(names, { minLength: 1 }),
      columns: fc.tuple(...names.map(() => anyRunnableColumn(tables))),
      hasGenerated: fc.boolean(),
      indexes: fc.array(fc.tuple(fc.nat(), fc.boolean(), fc.boolean()), { maxLength: 3 }),
      checks: fc.array(fc.nat(), { maxLength: 2 }),
    })
    .map(({ present, columns, hasGenerated, indexes, checks }) => {
      const pick = (number: number) => present[number % present.length]!
      const generated = { words: { type: 'boolean', generated: `${quote(present[0]!)} is null` } as const }
      return {
        columns: {
          id: { type: 'key' as const },
          ...Object.fromEntries(present.map(column => [column, columns[names.indexOf(column)]!])),
          ...(hasGenerated && generated),
        },
        key: ['id'],
        indexes: toParts(
          indexes.map(([number, isUnique, isPartial]) => ({
            columns: [`-${pick(number)}`, 'id'],
            ...(isUnique && { unique: true as const }),
            ...(isPartial && { where: `${quote(pick(number))} is not null` }),
          })),
          'index',
        ),
        checks: toParts(
          checks.map(number => `${quote(pick(number))} is not null`),
          'check',
        ),
      }
    })
}

const anyRunnableColumn = (tables: readonly string[]): fc.Arbitrary<ColumnState> =>
  fc
    .tuple(
      fc.constantFrom<ColumnState[]>(
        { type: 'text' },
        { type: 'text', default: "it's" },
        { type: 'integer' },
        { type: 'integer', default: 3 },
        { type: 'decimal(12,2)' },
        ...tables.map(table => ({ type: 'integer' as const, references: { table } })),
        { type: 'integer', references: { table: tables[0]!, onDelete: 'cascade' } },
      ),
      fc.boolean(),
    )
    .map(([column, isNullable]) => ({ ...column, ...(isNullable && { nullable: true as const }) }))

/** Compares tables without their SQL. */
export const toComparable = ({ schema: { normalize, formatType } }: Dialect): Comparable => ({ normalize, formatType })

/** Finds changes, and answers each question: `choose` picks one of the answers. */
export function findAnswered(
  from: SchemaState,
  to: SchemaState,
  choose: (count: number) => number,
): FoundChanges & { readonly answers: Answers } {
  let answers = noAnswers
  for (;;) {
    const found = findChanges(from, to, answers)
    const [question] = found.questions
    if (question === undefined) return { ...found, answers }
    answers = addAnswer(answers, question.answers[choose(question.answers.length)]!)
  }
}

function addAnswer({ renames, drops, fills }: Answers, answer: Answer): Answers {
  if ('rename' in answer) return { renames: new Map([...renames, [answer.rename, answer.to]]), drops, fills }
  if ('drop' in answer) return { renames, drops: new Set([...drops, answer.drop]), fills }
  return { renames, drops, fills: new Map([...fills, [answer.fill, '1']]) }
}
